/** Objects in every form that they have: what each writer makes of a drawn one, and what each reader makes of that again. */
import { decodeStruct } from '../../../api/codec/decode.ts';
import { encodePrettyJson } from '../../../api/codec/encode.ts';
import { encodeYaml } from '../../../api/codec/encode-yaml.ts';
import { goDump } from '../../../api/codec/go-dump.ts';
import { goValueText } from '../../../api/codec/go-value.ts';
import { goValueJson } from '../../../api/codec/go-value-json.ts';
import { decodeProtobuf, encodeProtobuf } from '../../../api/codec/protobuf.ts';
import { yamlToJson } from '../../../api/codec/yaml.ts';
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { StructSchema } from '../../../api/schema.ts';
import { filled } from '../../verify/generate/fill.ts';
import { Random } from '../../verify/generate/random.ts';
import { STEERING_SUBJECTS, SUBJECTS, typeKeyOf } from '../../verify/generate/subjects.ts';
import type { Told } from '../told.ts';

const OBJECTS = 600;
const SUBJECTS_OF_ALL = [...SUBJECTS, ...STEERING_SUBJECTS];

export function* drawnForms(): Generator<Told> {
  for (let index = 0; index < OBJECTS; index++) {
    const random = new Random('forms', index);
    const subject = SUBJECTS_OF_ALL[index % SUBJECTS_OF_ALL.length];
    if (!subject) return;
    const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
    const value = filled(schema, random, random.pick([15, 40, 70]));
    yield { name: `${subject.kind} ${index}`, said: formsOf(schema, value as object) };
  }
}

function formsOf(schema: StructSchema, value: object): readonly unknown[] {
  const object = decodeStruct(schema, value);
  const yaml = encodeYaml(object);
  const bytes = encodeProtobuf(schema, object);
  return [
    object,
    Buffer.from(bytes).toString('hex'),
    decodeProtobuf(schema, bytes),
    yaml,
    yamlToJson(yaml).value,
    encodePrettyJson(object),
    goDump(schema, object),
    goValueText(schema, object),
    goValueJson(schema, object),
  ];
}
