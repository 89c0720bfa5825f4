import assert from 'node:assert/strict'
import * as z from 'zod'
import type { Role } from '#domain/people/team-roles.ts'
import type { ErrorCode } from '#domain/errors.ts'
import { Refused } from './returned-error.ts'
import type { AnyContext, ContextOf, Scope } from './operation-context.ts'
import { nounOf, type Noun } from './list-of-nouns.ts'
import { isAnswerStream, type AnswerStream, type StreamType } from './response-stream.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

export interface Upload {
  readonly types: readonly string[]
  readonly bytesMax: number
  /**
   * Reads the file before the operation's transaction begins.
   * @throws Failure invalid_file
   */
  readonly read: (file: UploadedFile) => Promise<unknown>
}

export interface UploadedFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/** New device sign-ins are limited too, because many pending codes make a correct guess more likely. */
export type Guessable = 'password' | 'userCode' | 'deviceSignIn' | 'providerCredential'

type Shape = z.ZodRawShape

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Input<Parameters extends Shape, Query extends Shape, Body extends z.ZodType> = {
  readonly path: z.output<z.ZodObject<Parameters, z.core.$strict>>
  readonly query: z.output<z.ZodObject<Query, z.core.$strict>>
  readonly body: z.output<Body>
}

type Answer<Output extends z.ZodType, Code extends ErrorCode> = Promise<
  z.output<Output> | Refused<NoInfer<Code> | 'invalid_request' | 'role_required'>
>

/** @typeParam Known the path parameter that the operation's resource adds */
interface Declaration<
  Path extends string,
  Known extends string,
  Parameters extends Shape,
  Query extends Shape,
  Body extends z.ZodType,
  Output extends z.ZodType,
  Code extends ErrorCode,
> {
  /** `noun.verb`, which is also the name of the method in SDKs and of the file in operations/. */
  readonly id: string
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly description: string
  readonly parameters?: Parameters & { readonly [name in Exclude<Names<Path>, Known>]: z.ZodType }
  readonly query?: Query
  readonly body?: Body
  readonly output: Output
  /** In addition to the errors of every operation (http/errors-of-operation.ts). */
  readonly errors?: readonly Code[]
  /**
   * The operation changes the compiled configuration of one application, or of every application. Its transaction
   * raises the version, so that no later request is decided with the old configuration.
   */
  readonly configures?: 'organization' | 'application'
  /** Defaults to the operation's own noun. A read defaults to no noun. */
  readonly changes?: readonly Noun[]
  /** Defaults to `viewer` for a GET and to `developer` otherwise. */
  readonly leastRole?: Role
  /** Whether a credential of one application may also call this operation on the organization. */
  readonly isForOneApplication?: boolean
  /** With an upload, `body` is the schema of the result of `read`. */
  readonly upload?: Upload
  /** Whether only a signed-in person may call the operation. */
  readonly isForPeople?: boolean
  /** Each kind of secret has its own rate limit (http/control-plane-rate-limiter.ts). */
  readonly guessable?: Guessable
  readonly isExtension?: boolean
  /** A response with a secret is never stored, so a repeated request with the same idempotency key is rejected. */
  readonly answersSecret?: boolean
  /** Whether the ledger makes the change in its own transaction, instead of the operation. */
  readonly runsOutside?: boolean
  /** A request that is repeated with another token counts as a different request. */
  readonly changesToken?: boolean
  /** For a POST that only reads. It is not in the audit log, and its body may contain text of end users. */
  readonly changesNothing?: boolean
  /** Whether read-only sessions of the portal may also call this operation, although it makes a change. */
  readonly isForReaders?: boolean
}

/** Finds only resources of the caller. */
export interface Resource<S extends Scope, Name extends string, Found, Code extends ErrorCode> {
  readonly scope: S
  readonly parameter: Name
  readonly schema: z.ZodType<string, string>
  readonly errors: readonly Code[]
  /** @param param the field with the ID, which the error names; defaults to `parameter` */
  find(id: string, context: ContextOf<S>, param?: string): Promise<Found | Refused<Code>>
  /** The content of which the ETag is a hash. Null without an ETag. */
  readonly revision: ((id: string, context: ContextOf<S>) => Promise<object | null>) | null
}

export interface Operation {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly description: string
  readonly errors: readonly ErrorCode[]
  readonly configures: 'organization' | 'application' | null
  /** Pages reload the responses that are computed from these nouns (list-of-nouns.ts). */
  readonly changes: readonly Noun[]
  readonly leastRole: Role
  readonly isForOneApplication: boolean
  readonly upload: Upload | null
  readonly isForPeople: boolean
  readonly guessable: Guessable | null
  readonly isExtension: boolean
  readonly answersSecret: boolean
  readonly runsOutside: boolean
  readonly changesToken: boolean
  readonly changesNothing: boolean
  readonly isForReaders: boolean
  readonly hasRevision: boolean
  /** Empty if the response is one JSON value of type `output`. */
  readonly streams: readonly StreamType[]
  readonly input: { readonly path: z.ZodObject; readonly query: z.ZodObject; readonly body: z.ZodType | null }
  readonly output: z.ZodType
  decode(sent: SentInput): DecodedCall | InputFault
}

export interface SentInput {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface DecodedCall {
  readonly kind: 'call'
  /** Runs before the transaction. Its result is passed to `run`. */
  readonly prepare: ((context: AnyContext) => Promise<unknown>) | null
  run(context: AnyContext, prepared: unknown): Promise<AnswerJson | AnswerStream | Refused<ErrorCode>>
  revision(context: AnyContext): Promise<object | null>
}

export interface AnswerJson {
  readonly json: unknown
}

export interface InputFault {
  readonly kind: 'fault'
  readonly in: 'path' | 'query' | 'body'
  readonly issues: readonly z.core.$ZodIssue[]
}

/**
 * The route, the checks, the errors and the description in the OpenAPI document are generated from this declaration.
 */
export function operation<
  S extends Scope,
  const Path extends string,
  Output extends z.ZodType,
  const Code extends ErrorCode = never,
  // oxlint-disable-next-line typescript/no-empty-object-type -- an operation without such fields
  Parameters extends Shape = {},
  // oxlint-disable-next-line typescript/no-empty-object-type -- the same
  Query extends Shape = {},
  Body extends z.ZodType = z.ZodUndefined,
  Prepared = undefined,
>(
  definition: Declaration<Path, never, Parameters, Query, Body, Output, Code> & {
    readonly scope: S
    /**
     * For slow work, such as hashing, so that the transaction stays short. Must change nothing, because it also runs
     * when a request is repeated.
     */
    prepare?(
      input: Input<Parameters, Query, Body>,
      context: ContextOf<S>,
    ): Promise<Prepared | Refused<NoInfer<Code> | 'invalid_request' | 'role_required'>>
    run(
      input: Input<Parameters, Query, Body>,
      context: ContextOf<S>,
      prepared: NoInfer<Prepared>,
    ): Answer<Output, Code>
    /**
     * Returns the current resource as any JSON value, or null if it does not exist. The ETag is a hash of this value,
     * which the operation's transaction compares with If-Match.
     */
    revision?(input: Input<Parameters, Query, Body>, context: ContextOf<S>): Promise<object | null>
  },
): Operation {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `decode` made each part with its schema
  const typed = (input: AnyInput) => input as Input<Parameters, Query, Body>
  return tableEntry(definition, {
    scope: definition.scope,
    parameters: definition.parameters ?? {},
    errors: definition.errors ?? [],
    prepare: definition.prepare
      ? async (input, context) => definition.prepare?.(typed(input), contextOf<S>(context))
      : null,
    run: (input, context, prepared) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of `prepare`, or undefined
      definition.run(typed(input), contextOf<S>(context), prepared as Prepared),
    revision: definition.revision
      ? async (input, context) => definition.revision?.(typed(input), contextOf<S>(context)) ?? null
      : null,
  })
}

/** Declares an operation on an existing resource. Scope, parameter, errors and ETag come from the resource. */
export function operationOn<
  S extends Scope,
  Name extends string,
  Found,
  FindCode extends ErrorCode,
  const Path extends `${string}{${Name}}${string}`,
  Output extends z.ZodType,
  const Code extends ErrorCode = never,
  // oxlint-disable-next-line typescript/no-empty-object-type -- an operation without such fields
  Parameters extends Shape = {},
  // oxlint-disable-next-line typescript/no-empty-object-type -- the same
  Query extends Shape = {},
  Body extends z.ZodType = z.ZodUndefined,
>(
  resource: Resource<S, Name, Found, FindCode>,
  definition: Declaration<Path, Name, Parameters, Query, Body, Output, Code> & {
    run(
      found: Found,
      context: ContextOf<S>,
      input: Input<Parameters, Query, Body>,
    ): Answer<Output, Code | FindCode> | Awaited<Answer<Output, Code | FindCode>>
  },
): Operation {
  const { parameter, revision } = resource
  const idOf = ({ path }: AnyInput): string => String(path[parameter])
  return tableEntry(definition, {
    scope: resource.scope,
    parameters: { [parameter]: resource.schema, ...definition.parameters },
    errors: [...resource.errors, ...(definition.errors ?? [])],
    prepare: null,
    async run(input, context) {
      const found = await resource.find(idOf(input), contextOf<S>(context))
      if (found instanceof Refused) return found
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- decoded by these schemas
      return definition.run(found, contextOf<S>(context), input as Input<Parameters, Query, Body>)
    },
    revision: revision && ((input, context) => revision(idOf(input), contextOf<S>(context))),
  })
}

/** Declares a read whose response is streamed. Errors are returned before the first piece. */
export function streamOperation<
  S extends Scope,
  const Path extends string,
  const Code extends ErrorCode = never,
  // oxlint-disable-next-line typescript/no-empty-object-type -- an operation without such fields
  Query extends Shape = {},
>(
  // oxlint-disable-next-line typescript/no-empty-object-type -- a stream has no parameter in its path
  definition: Omit<
    Declaration<Path, never, {}, Query, z.ZodUndefined, z.ZodType, Code>,
    'method' | 'output'
  > & {
    readonly scope: S
    readonly streams: readonly [StreamType, ...StreamType[]]
    open(
      query: z.output<z.ZodObject<Query, z.core.$strict>>,
      context: ContextOf<S>,
    ): Promise<AnswerStream | Refused<NoInfer<Code> | 'invalid_request'>>
  },
): Operation {
  const [{ item }] = definition.streams
  return tableEntry(
    { ...definition, method: 'GET', output: item },
    {
      scope: definition.scope,
      parameters: {},
      errors: definition.errors ?? [],
      streams: definition.streams,
      prepare: null,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `decode` made it with its schema
      run: ({ query }, context) => definition.open(query as never, contextOf<S>(context)),
      revision: null,
    },
  )
}

/** The cast is safe, because http/execute-operation.ts chooses an application if the scope requires one. */
function contextOf<S extends Scope>(context: AnyContext): ContextOf<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return context as ContextOf<S>
}

interface AnyInput {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

interface Steps {
  readonly scope: Scope
  readonly parameters: Shape
  readonly errors: readonly ErrorCode[]
  readonly streams?: readonly StreamType[]
  readonly prepare: ((input: AnyInput, context: AnyContext) => Promise<unknown>) | null
  readonly run: (input: AnyInput, context: AnyContext, prepared: unknown) => Promise<unknown>
  readonly revision: ((input: AnyInput, context: AnyContext) => Promise<object | null>) | null
}

function tableEntry(
  definition: Declaration<string, string, Shape, Shape, z.ZodType, z.ZodType, ErrorCode>,
  { errors, parameters, prepare, revision, run, scope, streams = [] }: Steps,
): Operation {
  const { configures = null, id, method, output, summary, description, upload = null } = definition
  // An end user has no role in the team, so operations of the portal require no role.
  const least = method === 'GET' || scope === 'end_user' ? 'viewer' : 'developer'
  const leastRole = definition.leastRole ?? least
  const path = z.strictObject(parameters)
  const query = z.strictObject(definition.query ?? {})
  const body = definition.body ?? null
  const isRead = method === 'GET' || definition.changesNothing === true
  return {
    id,
    method,
    path: definition.path,
    scope,
    summary,
    description,
    errors,
    configures,
    changes: isRead ? [] : (definition.changes ?? [nounOf({ id })]),
    leastRole,
    isForOneApplication: definition.isForOneApplication ?? scope !== 'organization',
    upload,
    isForPeople: definition.isForPeople ?? false,
    guessable: definition.guessable ?? null,
    isExtension: definition.isExtension ?? false,
    answersSecret: definition.answersSecret ?? false,
    runsOutside: definition.runsOutside ?? false,
    changesToken: definition.changesToken ?? false,
    changesNothing: definition.changesNothing ?? false,
    isForReaders: method === 'GET' || (definition.isForReaders ?? false),
    hasRevision: revision !== null,
    streams,
    input: { path, query, body },
    output,
    decode(sent) {
      const cursor = sent.query['cursor']
      const inPath = path.safeParse(sent.path)
      if (!inPath.success) return { kind: 'fault', in: 'path', issues: inPath.error.issues }
      const inQuery = query.safeParse(
        cursor === undefined ? sent.query : { ...sent.query, cursor: cursorWithout(id, cursor) },
      )
      if (!inQuery.success) return { kind: 'fault', in: 'query', issues: inQuery.error.issues }
      const inBody = (body ?? z.undefined()).safeParse(sent.body)
      if (!inBody.success) return { kind: 'fault', in: 'body', issues: inBody.error.issues }
      const input = { path: inPath.data, query: inQuery.data, body: inBody.data }
      return {
        kind: 'call',
        prepare: prepare && ((context) => prepare(input, context)),
        async run(context, prepared) {
          const answer = await run(input, context, prepared)
          if (answer instanceof Refused || isAnswerStream(answer)) return answer
          if (configures !== null) await raiseVersion(configures, context)
          return { json: withCursorOf(id, z.encode(output, answer)) }
        },
        revision: async (context) => revision && revision(input, context),
      }
    },
  }
}

async function raiseVersion(
  configures: 'organization' | 'application',
  { application, organization, store }: AnyContext,
): Promise<void> {
  if (configures === 'organization') {
    assert(organization, 'no organization to raise the versions of')
    return store.applications.raiseVersions(organization.id)
  }
  assert(application, `no application to raise the version of (organization ${organization?.id})`)
  return store.applications.raiseVersion(application.id)
}

/**
 * A cursor begins with the ID of its list, so that a cursor of another list is rejected.
 * @returns an empty text, which no list accepts, if the cursor belongs to another list
 */
function cursorWithout(id: string, cursor: string): string {
  return cursor.startsWith(`${id}.`) ? cursor.slice(id.length + 1) : ''
}

function withCursorOf(id: string, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || !('nextCursor' in json)) return json
  return typeof json.nextCursor === 'string' ? { ...json, nextCursor: `${id}.${json.nextCursor}` } : json
}
