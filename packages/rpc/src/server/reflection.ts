import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, type EnumDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Health } from "@cloud/proto/grpc/health/v1/health_pb";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "@cloud/proto/grpc/reflection/v1/reflection_pb";
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as ServerReflectionRequestAlpha,
} from "@cloud/proto/grpc/reflection/v1alpha/reflection_pb";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { OPEN_SERVICE } from "./interceptors.ts";

type Request = ServerReflectionRequest | ServerReflectionRequestAlpha;
type Answer = Pick<ServerReflectionResponse, "messageResponse">["messageResponse"];

/** Serves grpc.reflection in both versions. Older tools use v1alpha, whose messages differ only in their name. */
export function registerReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const all = [...services, Health, ServerReflection, ServerReflectionAlpha];
  const answer = createReflection(all);
  const serve = async function* (requests: AsyncIterable<Request>) {
    for await (const request of requests) {
      yield {
        validHost: request.host,
        // The same fields in both versions; only the name of the type differs.
        originalRequest: request as never,
        messageResponse: answer(request.messageRequest),
      };
    }
  };
  router.service(ServerReflection, { serverReflectionInfo: serve }, OPEN_SERVICE);
  // The message types differ by name only, which the compiler cannot see.
  router.service(ServerReflectionAlpha, { serverReflectionInfo: serve as never }, OPEN_SERVICE);
}

function createReflection(services: readonly DescService[]): (request: Request["messageRequest"]) => Answer {
  const files = collectFiles(services.map((service) => service.file));
  const symbols = new Map([...files.values()].flatMap((file) => symbolsOf(file).map((symbol) => [symbol, file])));
  const names = services.map((service) => service.typeName).sort();
  return (request) => {
    switch (request.case) {
      case "listServices":
        return { case: "listServicesResponse", value: { service: names.map((name) => ({ name })) } } as Answer;
      case "fileByFilename":
        return descriptors(files.get(request.value), request.value);
      case "fileContainingSymbol":
        return descriptors(symbols.get(request.value), request.value);
      case "fileContainingExtension":
      case "allExtensionNumbersOfType":
      case undefined:
        return problem(Code.Unimplemented, "only services, files and symbols can be queried");
      default:
        return request satisfies never;
    }
  };
}

/** Collects the services' files and their imports, by name. */
function collectFiles(roots: readonly DescFile[]): ReadonlyMap<string, DescFile> {
  const files = new Map<string, DescFile>();
  const visit = (file: DescFile) => {
    if (!files.has(file.proto.name)) {
      files.set(file.proto.name, file);
      file.dependencies.forEach(visit);
    }
  };
  roots.forEach(visit);
  return files;
}

/**
 * Returns the full names of all that a file declares. An enum's value has the scope of its enum, not the enum's name.
 */
function symbolsOf({ proto }: DescFile): string[] {
  const named = (scope: string, all: readonly { readonly name: string }[]) => all.map(({ name }) => scope + name);
  const ofEnums = (scope: string, enums: readonly EnumDescriptorProto[]) => [
    ...named(scope, enums),
    ...enums.flatMap(({ value }) => named(scope, value)),
  ];
  const ofMessage = (scope: string, { name, ...message }: DescriptorProto): string[] => {
    const within = `${scope}${name}.`;
    const members = [...message.field, ...message.oneofDecl, ...message.extension];
    const nested = message.nestedType.flatMap((one) => ofMessage(within, one));
    return [scope + name, ...named(within, members), ...nested, ...ofEnums(within, message.enumType)];
  };
  const scope = proto.package === "" ? "" : `${proto.package}.`;
  return [
    ...named(scope, [...proto.service, ...proto.extension]),
    ...proto.service.flatMap(({ name, method }) => named(`${scope}${name}.`, method)),
    ...proto.messageType.flatMap((message) => ofMessage(scope, message)),
    ...ofEnums(scope, proto.enumType),
  ];
}

/** The answers by file. Each is encoded once: encoding the files took 1.7 ms for each request. */
const answers = new WeakMap<DescFile, Answer>();

/** Returns the file and its imports, which a client needs to resolve it. */
function descriptors(file: DescFile | undefined, wanted: string): Answer {
  if (file === undefined) {
    return problem(Code.NotFound, "not found: " + wanted);
  }
  const known = answers.get(file);
  if (known !== undefined) return known;
  const fileDescriptorProto = [...collectFiles([file]).values()].map((one) =>
    toBinary(FileDescriptorProtoSchema, one.proto),
  );
  const answer = { case: "fileDescriptorResponse", value: { fileDescriptorProto } } as Answer;
  answers.set(file, answer);
  return answer;
}

function problem(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } } as Answer;
}
