/** Generated from the catalog by sim/cli/generate-types.ts: types of apiextensions-k8s-io-v1. */
import type { Json, ObjectMeta } from '../object.ts';

export interface CustomResourceColumnDefinition {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  /** Required. */
  readonly jsonPath: string;
}

export interface CustomResourceConversion {
  /** Required. */
  readonly strategy: string;
  readonly webhook?: WebhookConversion;
}

/** Resource that the API server serves without knowing it beforehand. */
export type CustomResourceDefinition = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
};

export interface CustomResourceDefinitionCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CustomResourceDefinitionNames {
  /** Required. */
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Required. */
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface CustomResourceDefinitionSpec {
  /** Required. */
  readonly group: string;
  /** Required. */
  readonly names: CustomResourceDefinitionNames;
  /** Required. */
  readonly scope: string;
  /** Required. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
  readonly conversion?: CustomResourceConversion;
  readonly preserveUnknownFields?: boolean;
}

export interface CustomResourceDefinitionStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly CustomResourceDefinitionCondition[];
  readonly acceptedNames?: CustomResourceDefinitionNames;
  readonly storedVersions?: readonly string[];
}

export interface CustomResourceDefinitionVersion {
  /** Required. */
  readonly name: string;
  /** Default false. Required. */
  readonly served: boolean;
  /** Default false. Required. */
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: CustomResourceValidation;
  readonly subresources?: CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface CustomResourceSubresourceScale {
  /** Required. */
  readonly specReplicasPath: string;
  /** Required. */
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomResourceSubresourceStatus {}

export interface CustomResourceSubresources {
  readonly status?: CustomResourceSubresourceStatus;
  readonly scale?: CustomResourceSubresourceScale;
}

export interface CustomResourceValidation {
  readonly openAPIV3Schema?: JSONSchemaProps;
}

export interface ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

export interface JSONSchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: Json;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly Json[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly allOf?: readonly JSONSchemaProps[];
  readonly oneOf?: readonly JSONSchemaProps[];
  readonly anyOf?: readonly JSONSchemaProps[];
  readonly not?: JSONSchemaProps;
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly additionalProperties?: Json;
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>;
  readonly dependencies?: Readonly<Record<string, Json>>;
  readonly additionalItems?: Json;
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>;
  readonly externalDocs?: ExternalDocumentation;
  readonly example?: Json;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  /** Items are told apart by rule. */
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export interface JSONSchemaPropsOrArray {
  readonly schema?: JSONSchemaProps;
  readonly jSONSchemas?: readonly JSONSchemaProps[];
}

export interface JSONSchemaPropsOrBool {
  readonly allows?: boolean;
  readonly schema?: JSONSchemaProps;
}

export interface JSONSchemaPropsOrStringArray {
  readonly schema?: JSONSchemaProps;
  readonly property?: readonly string[];
}

export interface SelectableField {
  /** Required. */
  readonly jsonPath: string;
}

export interface ServiceReference {
  /** Required. */
  readonly namespace: string;
  /** Required. */
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ValidationRule {
  /** Required. */
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  /** One of "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired". */
  readonly reason?:
    'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired' | '';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** Base64. */
  readonly caBundle?: string;
}

export interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig;
  /** Required. */
  readonly conversionReviewVersions: readonly string[];
}
