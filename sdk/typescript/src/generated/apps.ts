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
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
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
  /** Slug of the application. It is part of the application's host names and cannot be changed. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
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
  /** Whether to return the changes without applying them. Defaults to `false`. */
  dryRun?: boolean | undefined
  /**
   * Whether to delete items that are missing from the sections of the document. If a bundle to delete still
   * has end users, the whole document is rejected. Defaults to `false`.
   */
  prune?: boolean | undefined
  /** Version of the document format. */
  format: 1
  /** Settings of the application itself. Omit to keep the current value. */
  application?: types.ConfigurationApplication | undefined
  /** Brand of the portal. Omit to keep the current value. */
  brand?: {
    /** Product name that end users see. Null means the name of the application. 1 to 128 characters. */
    productName?: string | null | undefined
    /** Brand color, `#rrggbb`. */
    primaryColor?: string | undefined
    /** Email address where end users get help. Null if not set. At most 254 characters. */
    supportEmail?: string | null | undefined
    /** Web page where end users get help, http or https. Null if not set. At most 512 characters. */
    supportUrl?: string | null | undefined
    /**
     * Page where the application sells credit. Rejections for lack of money return it as `portalUrl`, and
     * the portal links to it. Null means the portal. At most 512 characters.
     */
    topUpUrl?: string | null | undefined
    /**
     * Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At most
     * 512 characters.
     */
    payUrl?: string | null | undefined
  } | undefined
  /** Settings of the gateway. Omit to keep the current value. */
  gateway?: {
    /**
     * Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
     * `wire_not_served`. 1 to 4 of them.
     */
    wires?: readonly ('chat' | 'messages' | 'generate' | 'responses')[] | null | undefined
    /**
     * Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null
     * means all names. The bundle of the end user must allow the name too. Other names are treated as
     * unknown and are not listed. 1 to 200 of them.
     */
    models?: readonly string[] | null | undefined
    /**
     * Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers send
     * them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials are
     * never allowed, so pages send the key in a header. At most 100 of them.
     */
    origins?: readonly string[] | undefined
    /**
     * Client addresses that the gateway accepts. Null means all. Requests from other addresses return 403
     * `address_not_allowed`.
     *
     * The client address is the address of the connection. Behind proxies that the operator trusts
     * (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy.
     * 1 to 200 of them.
     */
    addresses?: readonly string[] | null | undefined
    /**
     * Times at which the gateway accepts requests. Null means always. At other times, requests return 403
     * `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of them.
     */
    hours?: readonly types.WeeklyHours[] | null | undefined
    /**
     * Maximum output tokens of a response if the request sets no maximum. The whole amount is held and is
     * sent to the provider.
     *
     * - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
     * model is never exceeded.
     * - Null means that no maximum is sent to the provider. Non-streaming responses are then held for
     * 16,384 tokens, and streams initially for 2,048. From 1 to 10000000.
     */
    defaultMaxTokens?: number | null | undefined
    /**
     * Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After
     * that, it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server
     * setting, which is 2,000 unless the operator changes it. From 0 to 60000.
     */
    holdWaitMs?: number | null | undefined
    /**
     * Handling of tools that the provider runs and that the request only offers. `drop` removes them and
     * lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that the
     * model is forced to use is always rejected.
     */
    providerTools?: 'drop' | 'refuse' | undefined
    /**
     * Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits the
     * fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route` with
     * their names.
     */
    conversion?: 'lenient' | 'strict' | undefined
    /**
     * Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C
     * Trace Context). The spans of the provider then join the trace of the client. If false, the headers
     * are not sent.
     */
    passTraceparent?: boolean | undefined
  } | undefined
  /**
   * Provider accounts that the models and routers use, sorted by label. The accounts must exist already.
   * Omit to keep the current value. At most 1000 of them.
   */
  providers?: readonly types.ConfigurationAccount[] | undefined
  /** Models. Omit to keep the current value. At most 1000 of them. */
  models?: readonly types.WantedModel[] | undefined
  /** Routers. Omit to keep the current value. At most 1000 of them. */
  routers?: readonly types.WantedRouter[] | undefined
  /** Bundles. Omit to keep the current value. At most 1000 of them. */
  bundles?: readonly types.WantedBundle[] | undefined
  /** Outcomes that accept runs. Omit to keep the current value. At most 1000 of them. */
  outcomes?: readonly types.WantedOutcome[] | undefined
}

/** Of apps.use: make an application active. */
export interface AppsUseInput {
  /** Slug of the application. 1 to 64 characters. */
  slug: string
}

/** Applications: products that have their own end users, keys, bundles and model names. */
export class Apps {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List applications. Returns the applications of the organization, newest first, including archived ones.
   * A credential of one application gets only that application.
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
   * Show the active application. Returns the application that this request resolves to: the one in the
   * `x-svc-app` header, else the active application of the token or session, else the only application.
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
   * Show an application. Returns one application of the organization, which may be archived.
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
   * organizations, never changes and is never reused. The first bundle of an application becomes its
   * default bundle.
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
   * Archive an application. Archives the application, starting with the next request. Archiving it again
   * returns it unchanged.
   *
   * - The gateway and the portal return 410 `application_archived`, under their hosts and their local
   * ports. Requests in flight finish and are charged.
   * - The application can still be read with `x-svc-app`, including its usage and ledger. It cannot be
   * changed or made active.
   * - Tokens that had it as their active application use the only remaining application.
   * - Its slug and its hosts are never reused.
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
   * Export the configuration of an application. Returns the configuration that `apps.apply` accepts, as one
   * document for version control. Equal configurations are returned as equal bytes.
   *
   * - Provider accounts are listed by label, without credentials.
   * - Bundle patterns that no longer match a name are omitted.
   * - End users, keys and money are not part of the configuration.
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
   * Apply a configuration to an application. Changes the application to match the document and returns each
   * change. All changes are applied in one transaction. Applying the same document again changes nothing.
   *
   * - A change that its own operation would reject rejects the whole document.
   * - Sections that the document omits, such as `models`, are not changed.
   * - Fields that an item omits keep their values. Lists, such as the prices and includes of a bundle, are
   * replaced whole. Pools that were already granted do not change.
   * - Items that are missing from a section are kept, and are returned with the action `none`. Set `prune`
   * to `true` to delete them.
   * - Provider accounts must exist already. They are never created or changed.
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
   * Make an application active. Sets the active application of this token or session. Its requests without
   * `x-svc-app` use the active application. Other tokens and sessions are not affected.
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
