import * as z from 'zod'
import { rangeFault } from '#domain/network/address-ranges.ts'
import { type GatewaySettings, unsetGateway } from '#domain/gateway-settings.ts'
import { storagePrefix } from '#domain/accounts/google-storage-addresses.ts'
import { upstreamFormats } from '#domain/accounts/provider-kinds.ts'
import { weekdays } from '#domain/weekly-opening-hours.ts'
import { ProviderTools, toolRulesView } from '#operations/kernel/provider-tool-rules-schema.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { ApplicationSlug, distinct, Pattern } from '#operations/kernel/value-and-page-schemas.ts'
import { SharedLimitUse, sharedLimitUses } from './use-of-shared-limits.ts'

const Wire = z.enum(upstreamFormats).meta({
  description:
    "Format of requests. Formats of conversations: `chat` (chat completions), `messages`, `generate` (generate content), `responses`, `converse`, `cohere` (Cohere's chat). Formats of embeddings: `embeddings`, Gemini's `embed_content` and `batch_embed_contents`, `invoke_embeddings` (Bedrock's `InvokeModel`), `cohere_embed` (Cohere's embeddings). Other formats: `moderations`, `completions` (text completions), `rerank`, `images`, `image_edits`, `speech`, `transcriptions`, `translations`, `compact`.",
})

const Origin = z
  .string()
  .max(255)
  .refine((origin) => origin === '*' || isOrigin(origin), {
    error:
      'must be `*` or an origin as browsers send it: scheme://host or scheme://host:port, in lower case, without a path and without the default port of the scheme',
  })
  .meta({ examples: ['https://app.example.com'] })

const AddressRange = z
  .string()
  .max(64)
  .superRefine((range, context) => {
    const fault = rangeFault(range)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ description: 'An IPv4 or IPv6 address, or a range in CIDR notation.', examples: ['192.0.2.0/24'] })

const Hours = z
  .strictObject({
    days: distinct(z.enum(weekdays), 7).meta({ description: 'Days on which the gateway opens.' }),
    from: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time from 00:00 to 23:59' })
      .meta({ description: 'Opening time, in hours and minutes (UTC).', examples: ['08:00'] }),
    until: z
      .string()
      .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'must be a time from 00:00 to 24:00' })
      .meta({
        description:
          'Closing time (UTC). If the closing time is not later than `from`, the gateway closes on the following day. `24:00` is the end of the day.',
        examples: ['18:00'],
      }),
  })
  .meta({ id: 'WeeklyHours', description: 'Opening hours on some days of the week, in UTC.' })

const StoragePrefix = z
  .string()
  .max(1024)
  .refine((prefix) => storagePrefix.test(prefix) && !/\/\.{1,2}\//.test(prefix), {
    error:
      'must be a bucket or a folder of Cloud Storage with a final slash: gs://bucket/ or gs://bucket/folder/',
  })
  .meta({ examples: ['gs://acme-manuals/'] })

export const gatewaySettings = {
  wires: distinct(Wire, upstreamFormats.length).nullable().meta({
    description:
      'Wire formats that the gateway accepts. Null means all. Requests in other formats return 404 `wire_not_served`.',
  }),
  models: distinct(Pattern, 200).nullable().meta({
    description:
      'Model names that the gateway serves, as patterns: a name, a prefix followed by `*`, or `*`. Null means all names. The bundle of the end user must allow the name too. Other names are treated as unknown and are not listed.',
  }),
  origins: distinct(Origin, 100, 0).meta({
    description:
      'Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers send them. `*` means any origin. If the list is empty, responses have no CORS headers. CORS credentials, such as cookies, are never allowed, so pages send the key in a header.',
  }),
  addresses: distinct(AddressRange, 200).nullable().meta({
    description:
      'Client addresses that the gateway accepts. Null means all. Requests from other addresses return 403 `address_not_allowed`.\n\nThe client address is the address of the connection. Behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`), the client address is the last address in X-Forwarded-For that is not a trusted proxy.',
  }),
  hours: z.array(Hours).min(1).max(28).nullable().meta({
    description:
      'Times at which the gateway accepts requests. Null means always. At other times, requests return 403 `outside_hours` with the next opening time. Requests in flight continue to their end.',
  }),
  defaultMaxTokens: z.int().min(1).max(10_000_000).nullable().meta({
    description:
      'Maximum output tokens of a response if the request sets no maximum. The gateway holds money for this number of tokens and sends the number to the provider.\n\n- A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the model is never exceeded.\n- Null means that no maximum is sent to the provider. The gateway then holds money for 8,192 output tokens of a non-streaming response, and initially for 2,048 output tokens of a stream.',
  }),
  holdWaitMs: z.int().min(0).max(60_000).nullable().meta({
    description:
      'Maximum time, in milliseconds, that a request waits for requests in flight to release money. After this time, the request returns 429 `balance_held`. 0 means that requests do not wait. Null means the server setting, which is 2,000 unless the operator changes it.',
  }),
  filesMax: z.int().min(0).max(10_000).nullable().meta({
    description:
      'Maximum number of files that an end user can have, in each mode. An upload beyond this number returns 403 `file_limit_reached`. 0 rejects every upload. Null means the default, 100.',
  }),
  fileBytesMax: z.int().min(0).max(1_000_000_000_000).nullable().meta({
    description:
      'Maximum total size of the files of an end user, in bytes, in each mode. Null means the default, 536,870,912 (512 MiB).',
  }),
  storagePrefixes: distinct(StoragePrefix, 100, 0).meta({
    description:
      "Google Cloud Storage buckets and folders whose files can be used in requests (`fileUri`) to accounts of the kind `vertex`. Vertex AI reads the files with the rights of the account, so every end user of the application can read all files below these prefixes. Requests with other `gs://` addresses return 400 `unsupported_for_route`. Google's public sample buckets need no prefix.",
  }),
  limits: RateLimits.meta({
    description:
      'Limits on the application. Each limit counts the usage of all end users. Live and test usage is counted separately. At most one limit is allowed per measure, window and list of models. These limits apply in addition to all other limits. A request that exceeds a limit returns 429 `rate_limited`. If the limit can never allow the request, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`. Errors that end users receive contain neither the limit nor its usage. Empty if no limits are set.',
  }),
  providerTools: ProviderTools.meta({
    description:
      'Rules for tools that the provider runs. The rules apply unless the request forces the model to use the tool. The value is one rule for all tools, or one rule for each kind of tool.\n\n- `bounded`: the tool is sent to the provider with a maximum number of uses, and money is held for these uses. If the price of one use is not known, the tool is removed instead, as with `drop`. The price of a web search is known if the rate `webSearch` is set. `bounded` also applies to kinds of tools that the setting omits, except file search. File search is removed unless the rule `fileSearch` is `bounded`.\n- `drop`: the tool is removed and is listed in `x-svc-conversion-lost` and in the response (`svc.lost`).\n- `refuse`: the request returns 400 `unsupported_for_route`.\n\nIf a request forces the model to use a tool that would be removed, the request is rejected. A bundle can override these rules.',
  }),
  conversion: z.enum(['lenient', 'strict']).meta({
    description:
      'Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits the fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route` with the names of the fields.',
  }),
  passTraceparent: z.boolean().meta({
    description:
      'Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C Trace Context). The spans of the provider then join the trace of the client. If false, the headers are not sent.',
  }),
}

export const GatewayChanges = z.strictObject({
  wires: z.exactOptional(gatewaySettings.wires),
  models: z.exactOptional(gatewaySettings.models),
  origins: z.exactOptional(gatewaySettings.origins),
  addresses: z.exactOptional(gatewaySettings.addresses),
  hours: z.exactOptional(gatewaySettings.hours),
  defaultMaxTokens: z.exactOptional(gatewaySettings.defaultMaxTokens),
  holdWaitMs: z.exactOptional(gatewaySettings.holdWaitMs),
  filesMax: z.exactOptional(gatewaySettings.filesMax),
  fileBytesMax: z.exactOptional(gatewaySettings.fileBytesMax),
  storagePrefixes: z.exactOptional(gatewaySettings.storagePrefixes),
  limits: z.exactOptional(gatewaySettings.limits),
  providerTools: z.exactOptional(gatewaySettings.providerTools),
  conversion: z.exactOptional(gatewaySettings.conversion),
  passTraceparent: z.exactOptional(gatewaySettings.passTraceparent),
})

export const GatewayView = z
  .object({
    application: ApplicationSlug,
    gateway: z.string().meta({
      description: 'Base URL of the gateway.',
      examples: ['http://acme.gateway.localhost:8080'],
    }),
    localGateway: z.exactOptional(z.string()).meta({
      description:
        'URL of the gateway with an IP address and a port, for clients that do not resolve `*.localhost`.',
      examples: ['http://127.0.0.1:8101'],
    }),
    hosts: z.array(z.string()).meta({
      description: 'Host headers that the gateway accepts.',
      examples: [['acme.gateway.localhost:8080', '127.0.0.1:8101']],
    }),
    ...gatewaySettings,
    limitUses: z.array(SharedLimitUse).meta({
      description:
        'Current usage of `limits` and of the limits of tags (`tags.set`), in the mode of the request.',
    }),
  })
  .meta({ id: 'Gateway', description: 'The gateway of an application: its addresses and its settings.' })

export async function gatewaySettingsOf({
  application,
  store,
}: ApplicationContext): Promise<GatewaySettings> {
  return (await store.gatewaySettings.of(application.id)) ?? unsetGateway(application.id)
}

export async function gatewayView(
  set: GatewaySettings,
  context: ApplicationContext,
): Promise<z.output<typeof GatewayView>> {
  const { application, ports } = context
  const shared = [
    { tag: null, rules: set.limits },
    ...set.tags.map(({ limits, slug }) => ({ tag: slug, rules: limits })),
  ]
  const limitUses = await Promise.all(shared.map((limits) => sharedLimitUses(limits, context)))
  const { gateway, localGateway } = ports.urls(application)
  return {
    application: application.slug,
    gateway,
    ...(localGateway !== undefined && { localGateway }),
    hosts: [gateway, localGateway].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
    ...settingsView(set),
    limitUses: limitUses.flat(),
  }
}

/** Drops further fields that `set` may have. */
export function settingsView(set: GatewaySettings): z.output<z.ZodObject<typeof gatewaySettings>> {
  return {
    wires: set.wires && [...set.wires],
    models: set.models && [...set.models],
    origins: [...set.origins],
    addresses: set.addresses && [...set.addresses],
    hours: set.hours && set.hours.map((hours) => ({ ...hours, days: [...hours.days] })),
    defaultMaxTokens: set.defaultMaxTokens,
    holdWaitMs: set.holdWaitMs,
    filesMax: set.filesMax,
    fileBytesMax: set.fileBytesMax,
    storagePrefixes: [...set.storagePrefixes],
    limits: set.limits,
    providerTools: toolRulesView(set.providerTools),
    conversion: set.conversion,
    passTraceparent: set.passTraceparent,
  }
}

/**
 * Desktop programs use other URL schemes (`app://obsidian.md`), which have no rules for host names. `*` is rejected
 * first, because the URL parser would accept it in a host name.
 */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return !text.includes('*') && URL.parse(text)?.origin === text
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?::\d{1,5})?$/.test(text)
}
