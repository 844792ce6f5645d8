import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
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

type Request = ServerReflectionRequest | ServerReflectionRequestAlpha;
type Answer = Pick<ServerReflectionResponse, "messageResponse">["messageResponse"];

/** grpc.reflection in both versions: v1alpha is what older tools ask for; its messages are the same but for the name. */
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
  router.service(ServerReflection, { serverReflectionInfo: serve });
  // The message types differ by name only, which the compiler cannot see.
  router.service(ServerReflectionAlpha, { serverReflectionInfo: serve as never });
}

function createReflection(services: readonly DescService[]): (request: Request["messageRequest"]) => Answer {
  const files = collectFiles(services.map((service) => service.file));
  const names = services.map((service) => service.typeName).sort();
  return (request) => {
    switch (request.case) {
      case "listServices":
        return { case: "listServicesResponse", value: { service: names.map((name) => ({ name })) } } as Answer;
      case "fileByFilename":
        return descriptors(files.get(request.value.replace(/\.proto$/, "")), request.value);
      case "fileContainingSymbol":
        return descriptors(fileOf(request.value, files), request.value);
      case "fileContainingExtension":
      case "allExtensionNumbersOfType":
      case undefined:
        return problem(Code.Unimplemented, "only services, files and symbols can be asked for");
      default:
        return request satisfies never;
    }
  };
}

/** Every file that the services' files need, by its name without `.proto`. */
function collectFiles(roots: readonly DescFile[]): ReadonlyMap<string, DescFile> {
  const files = new Map<string, DescFile>();
  const visit = (file: DescFile) => {
    if (!files.has(file.name)) {
      files.set(file.name, file);
      file.dependencies.forEach(visit);
    }
  };
  roots.forEach(visit);
  return files;
}

/** The file that declares a symbol: a service, message, enum, or a member of one. */
function fileOf(symbol: string, files: ReadonlyMap<string, DescFile>): DescFile | undefined {
  for (const file of files.values()) {
    const names = [...file.services, ...file.messages, ...file.enums].map((declared) => declared.typeName);
    if (names.some((name) => symbol === name || symbol.startsWith(name + "."))) {
      return file;
    }
  }
  return undefined;
}

/** The file and what it imports: a client needs all of them to understand it. */
function descriptors(file: DescFile | undefined, wanted: string): Answer {
  if (file === undefined) {
    return problem(Code.NotFound, "not found: " + wanted);
  }
  const fileDescriptorProto = [...collectFiles([file]).values()].map((one) =>
    toBinary(FileDescriptorProtoSchema, one.proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } } as Answer;
}

function problem(errorCode: Code, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } } as Answer;
}
