// How protobufjs compiles the messages: what is called, and no more.

import protobuf from 'protobufjs/light.js';

/**
 * At the first use of a type protobufjs compiles five functions for it, while an instance starts. A
 * lookup calls one of them: it writes requests and reads responses.
 */
export function compileSeparately(parent: protobuf.NamespaceBase): void {
  for (const nested of parent.nestedArray) {
    if (nested instanceof protobuf.Type) {
      const scope = () => ({
        Reader: protobuf.Reader,
        Writer: protobuf.Writer,
        util: protobuf.util,
        types: nested.fieldsArray.map((field) => field.resolve().resolvedType),
      });
      nested.encode = (...values) => {
        nested.encode = protobuf.encoder(nested)(scope()) as typeof nested.encode;
        return nested.encode(...values);
      };
      nested.decode = (...values) => {
        nested.decode = protobuf.decoder(nested)(scope()) as typeof nested.decode;
        return nested.decode(...values);
      };
    }
    if (nested instanceof protobuf.Namespace) compileSeparately(nested);
  }
}
