import * as z from 'zod'
import type { ErrorCode } from '#domain/errors.ts'
import type { IdSource } from '#domain/id.ts'
import type { Ledger } from '#domain/ledger.ts'
import type { SecretOwner } from '#domain/encryption.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Application, Nouns, Organization, Token } from '#domain/store.ts'
import { Refused } from './refused.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** What a request must name: nothing but its organization, or one application of it too. */
export type Scope = 'organization' | 'application'

/** What operations need from outside, made once where the server is put together. */
export interface Ports {
  readonly ledger: Pick<Ledger, 'credit' | 'complete'>
  /** Seals a secret that must be read again (encryption.ts). */
  seal(plaintext: string, owner: SecretOwner): string
  readonly newId: IdSource
  /** The next byte of a CSPRNG. */
  randomByte(): number
  /** Loopback ports for a new application; null where addresses are host names only. */
  allocatePorts(): Promise<ApplicationPorts>
  /** Where an application answers. */
  urls(application: Pick<Application, 'slug' | 'gatewayPort' | 'portalPort'>): ApplicationUrls
  /** Called after an application was made, so that its hosts and ports are listened to. */
  applicationsChanged(): Promise<void>
  /** Whether provider base URLs may point into private networks (TOLLGATE_ALLOW_PRIVATE_PROVIDERS). */
  readonly allowPrivateProviders: boolean
}

export interface ApplicationPorts {
  readonly gateway: number | null
  readonly portal: number | null
}

export interface ApplicationUrls {
  readonly gateway: string
  readonly portal: string
  readonly localGateway?: string
  readonly localPortal?: string
}

/** What is known of a request when its operation runs. */
export interface Context {
  /** The operation's transaction; for a GET, and for one that runs outside, what is committed. */
  readonly store: Nouns
  readonly organization: Organization
  readonly token: Token
  readonly mode: Mode
  readonly nowMs: number
  readonly ports: Ports
  /** The request's Idempotency-Key, or null. */
  readonly idempotencyKey: string | null
  /** Runs `work` once the operation's changes are durable, before its answer is sent. */
  readonly afterCommit: (work: () => Promise<void>) => void
}

/** The context of an operation on one application. */
export interface ApplicationContext extends Context {
  readonly application: Application
}

/** As the mechanism holds it: `application` is null exactly for operations on the organization that name none. */
export type AnyContext = Context & { readonly application: Application | null }

type ContextOf<S extends Scope> = S extends 'application' ? ApplicationContext : Context

type Shape = z.ZodRawShape

/** `{names}` in a path. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Input<PathShape extends Shape, QueryShape extends Shape, Body extends z.ZodType> = {
  readonly path: z.output<z.ZodObject<PathShape, z.core.$strict>>
  readonly query: z.output<z.ZodObject<QueryShape, z.core.$strict>>
  readonly body: z.output<Body>
}

interface Definition<
  S extends Scope,
  Path extends string,
  PathShape extends Shape,
  QueryShape extends Shape,
  Body extends z.ZodType,
  Output extends z.ZodType,
  Code extends ErrorCode,
> {
  /** `noun.verb`: the name in SDKs and CLI, and the file in operations/. */
  readonly id: string
  readonly method: Method
  readonly path: Path
  readonly scope: S
  readonly summary: string
  readonly description: string
  readonly input: {
    /** One schema for each `{name}` of the path, and no other. */
    readonly path?: PathShape & { readonly [name in Names<Path>]: z.ZodType }
    readonly query?: QueryShape
    readonly body?: Body
  }
  readonly output: Output
  /** What it may refuse with, besides what every operation may (http/operation-routes.ts). */
  readonly errors: readonly Code[]
  /** True for operations that the contract does not have. */
  readonly isExtension?: boolean
  /** True when the answer holds a secret: it is never stored, so a repeat is refused instead. */
  readonly answersSecret?: boolean
  /** True when the change is made by the ledger and not by the operation's own transaction. */
  readonly runsOutside?: boolean
  /** True when what it changes is the caller's token: a repeat by another token is another request. */
  readonly changesToken?: boolean
  run(
    input: Input<PathShape, QueryShape, Body>,
    context: ContextOf<S>,
  ): Promise<z.output<Output> | Refused<NoInfer<Code> | 'invalid_request'>>
  /**
   * For mutable configuration: what the resource is now, as any JSON value; null when there is none.
   * Its hash is the ETag, and what If-Match is compared with in the operation's transaction.
   */
  revision?(input: Input<PathShape, QueryShape, Body>, context: ContextOf<S>): Promise<object | null>
}

/** An operation of the table, its types closed over. */
export interface Operation {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly description: string
  readonly errors: readonly ErrorCode[]
  readonly isExtension: boolean
  readonly answersSecret: boolean
  readonly runsOutside: boolean
  readonly changesToken: boolean
  readonly hasRevision: boolean
  readonly input: { readonly path: z.ZodObject; readonly query: z.ZodObject; readonly body: z.ZodType | null }
  readonly output: z.ZodType
  /** Checks what was sent. Nothing has been looked up yet. */
  decode(sent: SentInput): DecodedCall | InputFault
}

export interface SentInput {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface DecodedCall {
  readonly kind: 'call'
  /** Answers the encoded output, or the refusal. */
  run(context: AnyContext): Promise<AnswerJson | Refused<ErrorCode>>
  revision(context: AnyContext): Promise<object | null>
}

/** The output on its way to JSON. */
export interface AnswerJson {
  readonly json: unknown
}

export interface InputFault {
  readonly kind: 'fault'
  readonly in: 'path' | 'query' | 'body'
  readonly issues: readonly z.core.$ZodIssue[]
}

/**
 * Declares one operation. All that the outside sees of it is made from this: its route, its
 * description in the OpenAPI document, its checks and its errors.
 */
export function operation<
  S extends Scope,
  const Path extends string,
  Output extends z.ZodType,
  const Code extends ErrorCode = never,
  // oxlint-disable-next-line typescript/no-empty-object-type -- an operation without such fields
  PathShape extends Shape = {},
  // oxlint-disable-next-line typescript/no-empty-object-type -- the same
  QueryShape extends Shape = {},
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<S, Path, PathShape, QueryShape, Body, Output, Code>): Operation {
  const path: z.ZodObject = z.strictObject(definition.input.path ?? {})
  const query: z.ZodObject = z.strictObject(definition.input.query ?? {})
  const body = definition.input.body ?? null
  return {
    id: definition.id,
    method: definition.method,
    path: definition.path,
    scope: definition.scope,
    summary: definition.summary,
    description: definition.description,
    errors: definition.errors,
    isExtension: definition.isExtension ?? false,
    answersSecret: definition.answersSecret ?? false,
    runsOutside: definition.runsOutside ?? false,
    changesToken: definition.changesToken ?? false,
    hasRevision: definition.revision !== undefined,
    input: { path, query, body },
    output: definition.output,
    decode(sent) {
      const cursor = sent.query['cursor']
      const inPath = path.safeParse(sent.path)
      if (!inPath.success) return { kind: 'fault', in: 'path', issues: inPath.error.issues }
      const inQuery = query.safeParse(
        cursor === undefined ? sent.query : { ...sent.query, cursor: cursorWithout(definition.id, cursor) },
      )
      if (!inQuery.success) return { kind: 'fault', in: 'query', issues: inQuery.error.issues }
      const inBody = (body ?? z.undefined()).safeParse(sent.body)
      if (!inBody.success) return { kind: 'fault', in: 'body', issues: inBody.error.issues }
      const input = inputOf<PathShape, QueryShape, Body>(inPath.data, inQuery.data, inBody.data)
      return {
        kind: 'call',
        async run(context) {
          const answer = await definition.run(input, contextOf<S>(context))
          if (answer instanceof Refused) return answer
          return { json: withCursorOf(definition.id, z.encode(definition.output, answer)) }
        },
        async revision(context) {
          return definition.revision ? definition.revision(input, contextOf<S>(context)) : null
        },
      }
    },
  }
}

/**
 * A cursor begins with the list that it is of: what the next page of one list begins with is nothing in another.
 * @returns what no list takes, for a cursor of another
 */
function cursorWithout(id: string, cursor: string): string {
  return cursor.startsWith(`${id}.`) ? cursor.slice(id.length + 1) : ''
}

function withCursorOf(id: string, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || !('nextCursor' in json)) return json
  return typeof json.nextCursor === 'string' ? { ...json, nextCursor: `${id}.${json.nextCursor}` } : json
}

/** The parts with the types of the schemas that they have just come out of. */
function inputOf<PathShape extends Shape, QueryShape extends Shape, Body extends z.ZodType>(
  path: unknown,
  query: unknown,
  body: unknown,
): Input<PathShape, QueryShape, Body> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `decode` made each with its schema
  return { path, query, body } as Input<PathShape, QueryShape, Body>
}

/** The context of the operation's scope: http/operation-routes.ts chooses an application where that asks for one. */
function contextOf<S extends Scope>(context: AnyContext): ContextOf<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return context as ContextOf<S>
}
