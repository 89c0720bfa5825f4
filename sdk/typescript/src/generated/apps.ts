// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of apps.list: list applications. */
export interface AppsListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What apps.list answers. */
export interface AppsListOutput {
  data: types.Application[]
  nextCursor: string | null
}

/** Of apps.show: show an application. */
export interface AppsShowInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
}

/** Of apps.create: create an application. */
export interface AppsCreateInput {
  /** Part of the host names; never changes. */
  slug: string
  /** Display name. Required on creation; omit to keep the current value. 1 to 128 characters. */
  name?: string | undefined
}

/** Of apps.rm: archive an application. */
export interface AppsRmInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
}

/** Of apps.export: export the configuration of an application. */
export interface AppsExportInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
}

/** Of apps.apply: apply a configuration to an application. */
export interface AppsApplyInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
  /** True: changes nothing, and answers exactly what the same request without it then changes. */
  dryRun?: boolean | undefined
  /**
   * True: removes what is missing in the parts that the document has. A bundle that people are on is not
   * removed, and refuses the whole document.
   */
  prune?: boolean | undefined
  /** Version of the format of this document. */
  format: 1
  /** What the application says of itself. Omit to keep the current value. */
  application?: types.ConfigurationApplication | undefined
  /** How the portal looks. Omit to keep the current value. */
  brand?: {
    /** What people know the product as; null: the name of the application. 1 to 128 characters. */
    productName?: string | null | undefined
    /** The colour of the brand, `#rrggbb`. */
    primaryColor?: string | undefined
    /** Where people ask for help; null: not said. At most 254 characters. */
    supportEmail?: string | null | undefined
    /** The same as an address of a page, http or https; null: not said. At most 512 characters. */
    supportUrl?: string | null | undefined
    /**
     * The page where the application sells credit. Refusals for money return it as `portalUrl`, and the
     * portal links to it. Null means the portal. At most 512 characters.
     */
    topUpUrl?: string | null | undefined
    /**
     * The page where end users pay invoices. The portal links past-due invoices to it. Null means none. At
     * most 512 characters.
     */
    payUrl?: string | null | undefined
  } | undefined
  /** Settings of the gateway. Omit to keep the current value. */
  gateway?: {
    /**
     * Wires whose calls are answered; null: all. A call of another is 404 `wire_not_served`. 1 to 4 of
     * them.
     */
    wires?: readonly ('chat' | 'messages' | 'generate' | 'responses')[] | null | undefined
    /**
     * Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`;
     * null: all. Another name is unknown, and not listed. 1 to 200 of them.
     */
    models?: readonly string[] | null | undefined
    /**
     * Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
     * them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed: a
     * page sends its key in a header. At most 100 of them.
     */
    origins?: readonly string[] | undefined
    /**
     * Client addresses that are answered; null: all. A call from another is 403 `address_not_allowed`. The
     * address is the connection’s, or behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`)
     * the last one in X-Forwarded-For that is none of theirs. 1 to 200 of them.
     */
    addresses?: readonly string[] | null | undefined
    /**
     * When calls are answered; null: always. At other times a call is 403 `outside_hours`, with the next
     * opening. A call in flight goes on to its end. 1 to 28 of them.
     */
    hours?: readonly types.WeeklyHours[] | null | undefined
    /**
     * Most output tokens of one answer to a request that states no maximum. It is held for whole and sent
     * to the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no more is
     * asked for than the model gives. Null: whole answers are held for 16,384 and streams for 2,048 at
     * first, and the provider is told no maximum. From 1 to 10000000.
     */
    defaultMaxTokens?: number | null | undefined
    /**
     * How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is 429
     * `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its operator
     * changes it). From 0 to 60000.
     */
    holdWaitMs?: number | null | undefined
    /**
     * Tools that the provider would run and the request merely offers: `drop` takes them out and names them
     * in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model is made
     * to call is always refused.
     */
    providerTools?: 'drop' | 'refuse' | undefined
    /**
     * Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names them
     * in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
     */
    conversion?: 'lenient' | 'strict' | undefined
    /**
     * Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged (W3C
     * Trace Context), so that its spans join the client’s trace. False: the provider learns nothing of it.
     */
    passTraceparent?: boolean | undefined
  } | undefined
  /**
   * Provider accounts that must be there, in label order: those that its models and routers name. Omit to
   * keep the current value. At most 1000 of them.
   */
  providers?: readonly types.ConfigurationAccount[] | undefined
  /** Model names. Omit to keep the current value. At most 1000 of them. */
  models?: readonly types.WantedModel[] | undefined
  /** Routers. Omit to keep the current value. At most 1000 of them. */
  routers?: readonly types.WantedRouter[] | undefined
  /** Bundles. Omit to keep the current value. At most 1000 of them. */
  bundles?: readonly types.WantedBundle[] | undefined
  /** Outcomes that take runs. Omit to keep the current value. At most 1000 of them. */
  outcomes?: readonly types.WantedOutcome[] | undefined
}

/** Of apps.use: make an application active. */
export interface AppsUseInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
}

/** Applications: products with end users, keys, bundles and model names of their own. */
export class Apps {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List applications. The organization's applications, newest first, archived ones included; of a
   * credential of one application, that one.
   *
   * GET /v1/apps
   */
  list(input?: AppsListInput, options?: CallOptions): PageCall<types.Application, AppsListOutput> {
    return this.#sender.page(
      { id: 'apps.list', method: 'GET', path: '/v1/apps', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Show the active application. The application that a request like this one means: the one named by
   * `x-svc-app`, else the token’s active one, else the only one.
   *
   * GET /v1/apps/current
   */
  current(input?: Record<string, never>, options?: CallOptions): Call<types.Application> {
    return this.#sender.call(
      { id: 'apps.current', method: 'GET', path: '/v1/apps/current' },
      input,
      options,
    )
  }

  /**
   * Show an application. One application of the organization, archived ones included.
   *
   * GET /v1/apps/{slug}
   * @throws ApiError not_found
   */
  show(input: AppsShowInput, options?: ConditionalOptions): Call<types.Application> {
    return this.#sender.call(
      { id: 'apps.show', method: 'GET', path: '/v1/apps/{slug}' },
      input,
      options,
    )
  }

  /**
   * Create an application. Creates the application with this slug, or renames the existing one if `name` is
   * given. Send `If-None-Match: *` to fail instead if the application exists. A slug is unique across all
   * organizations, never changes and is never reused. A new application has no bundle; the first bundle
   * becomes its default.
   *
   * PUT /v1/apps/{slug}
   * @throws ApiError already_exists, application_archived
   */
  create(input: AppsCreateInput, options?: ConditionalOptions): Call<types.Application> {
    return this.#sender.call(
      { id: 'apps.create', method: 'PUT', path: '/v1/apps/{slug}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Archive an application. From the next call on its gateway and portal answer 410 `application_archived`,
   * under their hosts and local ports alike; calls in flight end and are charged. It can be read as before
   * with `x-svc-app`, usage and ledger included, and no longer changed or made active; tokens whose active
   * application it was fall back to the only one there is. Its slug and its hosts are never given to
   * another one. Archiving it again answers it as it is.
   *
   * DELETE /v1/apps/{slug}
   * @throws ApiError not_found
   */
  rm(input: AppsRmInput, options?: ConditionalOptions): Call<types.Application> {
    return this.#sender.call(
      { id: 'apps.rm', method: 'DELETE', path: '/v1/apps/{slug}' },
      input,
      options,
    )
  }

  /**
   * Export the configuration of an application. Everything that apps.apply can bring about, as one document
   * for version control: name, settings of the gateway, provider accounts by label and without secrets,
   * model names, bundles whole, outcomes. The same configuration is always the same bytes. Patterns that
   * mean no name any more are left out. People, keys and money are no configuration.
   *
   * GET /v1/apps/{slug}/configuration (an extension)
   * @throws ApiError not_found
   */
  export(input: AppsExportInput, options?: ConditionalOptions): Call<types.Configuration> {
    return this.#sender.call(
      { id: 'apps.export', method: 'GET', path: '/v1/apps/{slug}/configuration' },
      input,
      options,
    )
  }

  /**
   * Apply a configuration to an application. Makes the application what the document says, all of it or
   * nothing, and answers each change; applying it again changes nothing. It refuses what the single
   * operations would refuse. Each bundle is replaced whole, with its prices and includes; pools granted
   * before stay as they were granted. A part that the document leaves out (`models`, say) stays as it is.
   * What is missing in a part that it has is answered with the action `none` and stays, unless `prune` is
   * `true`. Provider accounts must be there: none is ever made or changed.
   *
   * PUT /v1/apps/{slug}/configuration (an extension)
   * @throws ApiError not_found, application_archived, unknown_model_pattern, model_unpriced, in_use,
   * name_taken
   */
  apply(input: AppsApplyInput, options?: ConditionalOptions): Call<types.AppliedConfiguration> {
    return this.#sender.call(
      { id: 'apps.apply', method: 'PUT', path: '/v1/apps/{slug}/configuration', query: ['dryRun', 'prune'], body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Make an application active. Requests of this token or session that name no application with `x-svc-app`
   * mean this one from now on. Other tokens and sessions keep theirs.
   *
   * POST /v1/apps/{slug}/use
   * @throws ApiError not_found, application_archived
   */
  use(input: AppsUseInput, options?: CallOptions): Call<types.Application> {
    return this.#sender.call(
      { id: 'apps.use', method: 'POST', path: '/v1/apps/{slug}/use', isKeyed: true },
      input,
      options,
    )
  }
}
