import assert from 'node:assert/strict'
import * as z from 'zod'
import type { Role } from '#domain/people/role.ts'
import type { ErrorCode } from '#domain/errors.ts'
import { Refused } from './refused.ts'
import type { AnyContext, ContextOf, Scope } from './context.ts'
import { isAnswerStream, type AnswerStream, type StreamType } from './answer-stream.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** A file in place of a JSON body. */
export interface Upload {
  /** Media types that are taken. */
  readonly types: readonly string[]
  readonly bytesMax: number
  /**
   * Reads the file before the operation's transaction begins; `run` gets the result as `body`.
   * @throws Failure invalid_file
   */
  readonly read: (file: UploadedFile) => Promise<unknown>
}

/** A file as it was sent. */
export interface UploadedFile {
  readonly type: string
  readonly bytes: Uint8Array
}

/**
 * Passwords; the codes that people type; new sign-ins of devices, whose number is what makes codes guessable; and keys of
 * providers, which a probe says to be right or wrong.
 */
export type Guessable = 'password' | 'userCode' | 'deviceSignIn' | 'providerCredential'

type Shape = z.ZodRawShape

/** `{names}` in a path. */
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

/** @typeParam Known the parameter that the operation's resource brings */
interface Declaration<
  Path extends string,
  Known extends string,
  Parameters extends Shape,
  Query extends Shape,
  Body extends z.ZodType,
  Output extends z.ZodType,
  Code extends ErrorCode,
> {
  /** `noun.verb`: the name in SDKs, and the file in operations/. */
  readonly id: string
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly description: string
  /** One schema for each `{name}` of the path, and no other. */
  readonly parameters?: Parameters & { readonly [name in Exclude<Names<Path>, Known>]: z.ZodType }
  readonly query?: Query
  readonly body?: Body
  readonly output: Output
  /** Its refusals, besides those of every operation (http/operation-errors.ts). */
  readonly errors?: readonly Code[]
  /**
   * The compiled configuration that it changes: the application's, or that of every application of the
   * organization. Its transaction raises the version, so that no call is decided on the old one.
   */
  readonly changes?: 'organization' | 'application'
  /** The lowest role that may call it; default: `viewer` for a GET, else `developer`. */
  readonly leastRole?: Role
  /** True for an operation on the organization that a credential of one application may call as well. */
  readonly isForOneApplication?: boolean
  /** The file that it takes in place of a JSON body; `body` is the schema of what `read` makes of it. */
  readonly upload?: Upload
  /** True: only a person who has signed in may call it, and no token. */
  readonly isForPeople?: boolean
  /** What can be guessed by calling it, which has a rate of its own (http/rate-limits.ts). */
  readonly guessable?: Guessable
  /** True for operations beyond the contract. */
  readonly isExtension?: boolean
  /** True when the answer holds a secret: it is never stored, so a repeat is refused instead. */
  readonly answersSecret?: boolean
  /** True when the change is made by the ledger and not by the operation's own transaction. */
  readonly runsOutside?: boolean
  /** True when it changes the caller's token: a repeat by another token is another request. */
  readonly changesToken?: boolean
  /** True for a POST that only asks: it leaves no row in the audit log, and its body may have what people wrote. */
  readonly changesNothing?: boolean
  /** True for a change that read-only sessions of the portal may make too. */
  readonly isForReaders?: boolean
}

/** A resource in a path, and how it is found among those of the caller. */
export interface Resource<S extends Scope, Name extends string, Found, Code extends ErrorCode> {
  readonly scope: S
  /** Its name in the path, and its schema. */
  readonly parameter: Name
  readonly schema: z.ZodType<string, string>
  readonly errors: readonly Code[]
  /** @param param the field that named it, for the refusal; default `parameter` */
  find(id: string, context: ContextOf<S>, param?: string): Promise<Found | Refused<Code>>
  /** As `operation`'s `revision`; null: it has no ETag. */
  readonly revision: ((id: string, context: ContextOf<S>) => Promise<object | null>) | null
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
  readonly changes: 'organization' | 'application' | null
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
  /** What its answer may be streamed as; none: it is one JSON value, of `output`. */
  readonly streams: readonly StreamType[]
  readonly input: { readonly path: z.ZodObject; readonly query: z.ZodObject; readonly body: z.ZodType | null }
  readonly output: z.ZodType
  /** Checks the request before any look-up. */
  decode(sent: SentInput): DecodedCall | InputFault
}

export interface SentInput {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface DecodedCall {
  readonly kind: 'call'
  /** What precedes the transaction, for `run`; null: nothing does. */
  readonly prepare: ((context: AnyContext) => Promise<unknown>) | null
  /** Answers the encoded output, a stream that nothing is read of yet, or the refusal. */
  run(context: AnyContext, prepared: unknown): Promise<AnswerJson | AnswerStream | Refused<ErrorCode>>
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
 * Declares one operation. Its route, its description in the OpenAPI document, its checks and its errors are
 * made from this.
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
     * Slow work, such as hashing, that must not keep the transaction open: done before it, on committed rows.
     * It changes nothing, since a repeat may come here too. `run` gets its answer.
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
     * For mutable configuration: the present resource as any JSON value; null: it does not exist. Its hash is
     * the ETag, which the operation's transaction compares with If-Match.
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
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `prepare` answered, or undefined
      definition.run(typed(input), contextOf<S>(context), prepared as Prepared),
    revision: definition.revision
      ? async (input, context) => definition.revision?.(typed(input), contextOf<S>(context)) ?? null
      : null,
  })
}

/**
 * Declares an operation on an existing resource, which is found first or refused. Scope, parameter, refusals
 * and ETag come from the resource.
 */
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

/**
 * Declares a read whose answer is streamed, piece by piece as the client takes them, in place of one JSON value. What
 * it refuses it refuses before the first piece.
 */
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

/** The context of the operation's scope: http/operation-routes.ts chooses an application where that asks for one. */
function contextOf<S extends Scope>(context: AnyContext): ContextOf<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return context as ContextOf<S>
}

interface AnyInput {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** The steps that differ between the two ways to declare an operation. */
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
  const { changes = null, id, method, output, summary, description, upload = null } = definition
  // A person of an application has no role in its team.
  const least = method === 'GET' || scope === 'end_user' ? 'viewer' : 'developer'
  const leastRole = definition.leastRole ?? least
  const path = z.strictObject(parameters)
  const query = z.strictObject(definition.query ?? {})
  const body = definition.body ?? null
  return {
    id,
    method,
    path: definition.path,
    scope,
    summary,
    description,
    errors,
    changes,
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
          if (changes !== null) await raiseVersion(changes, context)
          return { json: withCursorOf(id, z.encode(output, answer)) }
        },
        revision: async (context) => revision && revision(input, context),
      }
    },
  }
}

async function raiseVersion(
  changes: 'organization' | 'application',
  { application, organization, store }: AnyContext,
): Promise<void> {
  if (changes === 'organization') {
    assert(organization, 'no organization to raise the versions of')
    return store.applications.raiseVersions(organization.id)
  }
  assert(application, `no application to raise the version of (organization ${organization?.id})`)
  return store.applications.raiseVersion(application.id)
}

/**
 * A cursor begins with the id of its list: a cursor of another list is refused.
 * @returns a text that no list takes, for a cursor of another list
 */
function cursorWithout(id: string, cursor: string): string {
  return cursor.startsWith(`${id}.`) ? cursor.slice(id.length + 1) : ''
}

function withCursorOf(id: string, json: unknown): unknown {
  if (typeof json !== 'object' || json === null || !('nextCursor' in json)) return json
  return typeof json.nextCursor === 'string' ? { ...json, nextCursor: `${id}.${json.nextCursor}` } : json
}
