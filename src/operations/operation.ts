import assert from 'node:assert/strict'
import * as z from 'zod'
import type { ErrorCode } from '#domain/errors.ts'
import type { IdSource } from '#domain/id.ts'
import type { Ledger } from '#domain/ledger.ts'
import type { SecretOwner } from '#domain/encryption.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Application, Organization, Token } from '#domain/records.ts'
import type { Nouns, Store } from '#domain/store.ts'
import { Refused } from './refused.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** The scope of a request: its organization, or one application of it. */
export type Scope = 'organization' | 'application'

/** Dependencies of operations, made once at the start of the server. */
export interface Ports {
  readonly ledger: Pick<Ledger, 'credit' | 'complete'>
  /** For operations without a transaction of their own, and for work after a commit: never inside another one. */
  readonly store: Store
  /** Seals a secret that must be read again (encryption.ts). */
  seal(plaintext: string, owner: SecretOwner): string
  readonly newId: IdSource
  /** The next byte of a CSPRNG. */
  randomByte(): number
  /** Loopback ports for a new application; null where addresses are host names only. */
  allocatePorts(): Promise<ApplicationPorts>
  /** The addresses of an application. */
  urls(application: Pick<Application, 'slug' | 'gatewayPort' | 'portalPort'>): ApplicationUrls
  /** Called after an application is made, so that the server listens to its hosts and ports. */
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

/** The request of an operation. */
export interface Context {
  /** The operation's transaction; for a GET, and for one that runs outside, committed rows. */
  readonly store: Nouns
  readonly organization: Organization
  readonly token: Token
  readonly mode: Mode
  readonly nowMs: number
  readonly ports: Ports
  readonly idempotencyKey: string | null
  /** Runs `work` once the operation's changes are durable, before its answer is sent. */
  readonly afterCommit: (work: () => Promise<void>) => void
}

export interface ApplicationContext extends Context {
  readonly application: Application
}

/** The context before its scope is known: `application` is null exactly for operations on the organization. */
export type AnyContext = Context & { readonly application: Application | null }

export type ContextOf<S extends Scope> = S extends 'application' ? ApplicationContext : Context

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
  z.output<Output> | Refused<NoInfer<Code> | 'invalid_request'>
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
  readonly changes?: Scope
  /** True for operations beyond the contract. */
  readonly isExtension?: boolean
  /** True when the answer holds a secret: it is never stored, so a repeat is refused instead. */
  readonly answersSecret?: boolean
  /** True when the change is made by the ledger and not by the operation's own transaction. */
  readonly runsOutside?: boolean
  /** True when it changes the caller's token: a repeat by another token is another request. */
  readonly changesToken?: boolean
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
  readonly changes: Scope | null
  readonly isExtension: boolean
  readonly answersSecret: boolean
  readonly runsOutside: boolean
  readonly changesToken: boolean
  readonly hasRevision: boolean
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
>(
  definition: Declaration<Path, never, Parameters, Query, Body, Output, Code> & {
    readonly scope: S
    run(input: Input<Parameters, Query, Body>, context: ContextOf<S>): Answer<Output, Code>
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
    run: (input, context) => definition.run(typed(input), contextOf<S>(context)),
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
    async run(input, context) {
      const found = await resource.find(idOf(input), contextOf<S>(context))
      if (found instanceof Refused) return found
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- decoded by these schemas
      return definition.run(found, contextOf<S>(context), input as Input<Parameters, Query, Body>)
    },
    revision: revision && ((input, context) => revision(idOf(input), contextOf<S>(context))),
  })
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
  readonly run: (input: AnyInput, context: AnyContext) => Promise<unknown>
  readonly revision: ((input: AnyInput, context: AnyContext) => Promise<object | null>) | null
}

function tableEntry(
  definition: Declaration<string, string, Shape, Shape, z.ZodType, z.ZodType, ErrorCode>,
  { errors, parameters, revision, run, scope }: Steps,
): Operation {
  const { changes = null, id, method, output, summary, description } = definition
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
    isExtension: definition.isExtension ?? false,
    answersSecret: definition.answersSecret ?? false,
    runsOutside: definition.runsOutside ?? false,
    changesToken: definition.changesToken ?? false,
    hasRevision: revision !== null,
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
        async run(context) {
          const answer = await run(input, context)
          if (answer instanceof Refused) return answer
          if (changes !== null) await raiseVersion(changes, context)
          return { json: withCursorOf(id, z.encode(output, answer)) }
        },
        revision: async (context) => revision && revision(input, context),
      }
    },
  }
}

async function raiseVersion(changes: Scope, { application, organization, store }: AnyContext): Promise<void> {
  if (changes === 'organization') return store.applications.raiseVersions(organization.id)
  assert(application, `no application to raise the version of (organization ${organization.id})`)
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
