/** Generated from the catalog by sim/cli/generate-types.ts: types of networking-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { TypedLocalObjectReference } from './core-v1.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

export interface HTTPIngressPath {
  readonly path?: string;
  /** One of "Exact", "ImplementationSpecific", "Prefix". Required. */
  readonly pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
  /** Required. */
  readonly backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  /** Required. */
  readonly paths: readonly HTTPIngressPath[];
}

export interface IPBlock {
  /** Required. */
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** Rules by which requests from outside reach services. */
export type Ingress = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
};

export interface IngressBackend {
  readonly service?: IngressServiceBackend;
  readonly resource?: TypedLocalObjectReference;
}

/** Kind of ingress, and the controller that implements it. */
export type IngressClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: IngressClassSpec;
};

export interface IngressClassParametersReference {
  readonly apiGroup?: string;
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
  readonly scope?: string;
  readonly namespace?: string;
}

export interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

export interface IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  /** Required. */
  readonly port: number;
  /** One of "SCTP", "TCP", "UDP". Required. */
  readonly protocol: 'SCTP' | 'TCP' | 'UDP';
  readonly error?: string;
}

export interface IngressRule {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  /** Required. */
  readonly name: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: IngressBackend;
  readonly tls?: readonly IngressTLS[];
  readonly rules?: readonly IngressRule[];
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

/** Says which traffic pods may send and receive. */
export type NetworkPolicy = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: NetworkPolicySpec;
};

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly from?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyPeer {
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly podSelector?: LabelSelector;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  /** One of "SCTP", "TCP", "UDP". */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP' | '';
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface NetworkPolicySpec {
  /** Required. Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly podSelector: LabelSelector;
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[];
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}
