/** Messages written out; what each comes to is what a real 1.31 server was found to make of it. */
import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { environmentWith } from './environment.ts';
import { shown } from './values/text.ts';

const PREFIX = 'google.protobuf.';

/** What it comes to, or the first line of what is wrong with it. */
function run(message: string): string {
  const compiled = compile(message.replaceAll('@', PREFIX), environmentWith(new Map()));
  if (compiled.kind === 'program') return shown(compiled.program.run(() => undefined, 1_000_000).result);
  const [line = ''] = compiled.message.replace(/^ERROR: <input>:/, '').split('\n');
  return line;
}

describe('a message', () => {
  it.each([
    ['@Int32Value{value: 1}', '1'],
    ['@UInt64Value{}', '0'],
    ['@FloatValue{value: 1.5}', '1.5'],
    ['@StringValue{value: "a"} + "b"', 'ab'],
    ['.@Int64Value{value: 2} + 1', '3'],
    ['@Int64Value{value: 1, value: 2}', '2'],
    ['@Int64Value{?value: optional.of(1)}', '1'],
    ['@Int64Value{?value: optional.none()}', '0'],
    ['@Int64Value{} == null', 'false'],
    ['type(@Int64Value{})', 'int'],
    ['@Duration{seconds: 5}', '5s'],
    ['@Timestamp{seconds: 5, nanos: 3}', '1970-01-01T00:00:05.000000003Z'],
    ['@Value{} == null', 'true'],
    ['@Value{null_value: 0} == null', 'true'],
    ['@Value{struct_value: {"a": 1}} == {"a": 1.0}', 'true'],
    ['@Value{list_value: @ListValue{}} == []', 'true'],
    ['type(@Struct{fields: {"a": 1}}["a"])', 'double'],
    ['type(@ListValue{values: [1u]}[0])', 'double'],
    ['type(@Empty{})', 'google.protobuf.Empty'],
    ['[@Empty{}] == [@Empty{}] && @Empty{} != null', 'true'],
    ['@Value{struct_value: {"a": @Empty{}}} == {"a": {}}', 'true'],
    ['@NullValue.NULL_VALUE + 1', '1'],
    ['type(.@NullValue.NULL_VALUE)', 'int'],
    ['dyn(@Empty{}).foo', "no such field 'foo'"],
    ['dyn(url("https://h/"))[0]', 'no such key: 0'],
    ['@Any{} == null', 'unsupported conversion to ref.Val: (*dynamicpb.Message)'],
    ['@Any{type_url: "x"}', 'unsupported conversion to ref.Val: (*dynamicpb.Message)type_url:"x"'],
  ])('%s comes to %s', (message, value) => {
    expect(run(message)).toBe(value);
  });

  it.each([
    [
      '@Int32Value{value: "x"}',
      "1:33: expected type of field 'value' is 'int' but provided type is 'string'",
    ],
    ['@Int32Value{none: 1}', "1:32: undefined field 'none'"],
    ['@Int64Value{?value: 1}', "1:36: expected type 'optional_type(int)' but found 'int'"],
    [
      '@Int64Value{} == "a"',
      "1:30: found no matching overload for '_==_' applied to '(wrapper(int), string)'",
    ],
    ['@NullValue{}', "1:26: undeclared reference to 'google.protobuf.NullValue' (in container '')"],
    ['@Int64Value', 'reference to undefined type: google.protobuf.Int64Value'],
    ['@Value == 1', "1:23: found no matching overload for '_==_' applied to '(type(dyn), int)'"],
    ['int{}', "1:4: 'int' is not a message type"],
    ['@Any', 'reference to undefined type: google.protobuf.Any'],
    ['@Any{value: "x"}', "1:26: expected type of field 'value' is 'bytes' but provided type is 'string'"],
    [
      '@Empty{} == 1',
      "1:25: found no matching overload for '_==_' applied to '(google.protobuf.Empty, int)'",
    ],
    ['@Empty{}.foo', "1:24: undefined field 'foo'"],
    ['@NullValue.NULL_VALUE == null', "1:38: found no matching overload for '_==_' applied to '(int, null)'"],
  ])('%s is refused: %s', (message, why) => {
    expect(run(message)).toBe(why);
  });

  it('that holds more than fits is an error when it is made', () => {
    expect(run('@Int32Value{value: 4294967296} == 0')).toBe(
      'field type conversion error for google.protobuf.Int32Value.value value type: integer overflow',
    );
  });
});
