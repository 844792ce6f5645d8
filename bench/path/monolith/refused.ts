/** A refusal with its status, which the error handler of Fastify sends. */
export class Refused extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, code: string) {
    super(code);
    this.statusCode = statusCode;
  }
}
