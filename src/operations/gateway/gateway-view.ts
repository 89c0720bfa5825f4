import * as z from 'zod'
import { rangeFault } from '#domain/network/address-ranges.ts'
import { type GatewaySettings, unsetGateway } from '#domain/gateway-settings.ts'
import { upstreamWires } from '#domain/provider-kinds.ts'
import { weekdays } from '#domain/weekly-hours.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { ApplicationSlug, Pattern } from '#operations/schemas.ts'

const Wire = z.enum(upstreamWires).meta({
  description:
    'A wire format: `chat` (chat completions), `messages`, `generate` (generate content) or `responses`.',
})

const Origin = z
  .string()
  .max(255)
  .refine((origin) => origin === '*' || isOrigin(origin), {
    error:
      'must be `*` or an origin as browsers send it: scheme://host or scheme://host:port, in lower case, without a path and without the port that the scheme implies',
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
    days: distinct(z.enum(weekdays), 7).meta({ description: 'Days on which it opens.' }),
    from: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time from 00:00 to 23:59' })
      .meta({ description: 'When it opens: hours and minutes, UTC.', examples: ['08:00'] }),
    until: z
      .string()
      .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: 'must be a time from 00:00 to 24:00' })
      .meta({
        description: 'When it closes, UTC. Not later than `from`: on the day after. `24:00` ends the day.',
        examples: ['18:00'],
      }),
  })
  .meta({ id: 'WeeklyHours', description: 'The same opening hours on some days of the week, in UTC.' })

/** The settings, all required. */
export const gatewaySettings = {
  wires: distinct(Wire, upstreamWires.length).nullable().meta({
    description: 'Wires whose calls are answered; null: all. A call of another is 404 `wire_not_served`.',
  }),
  models: distinct(Pattern, 200).nullable().meta({
    description:
      'Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`; null: all. Another name is unknown, and not listed.',
  }),
  origins: distinct(Origin, 100, 0).meta({
    description:
      'Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed: a page sends its key in a header.',
  }),
  addresses: distinct(AddressRange, 200).nullable().meta({
    description:
      'Client addresses that are answered; null: all. A call from another is 403 `address_not_allowed`. The address is the connection’s, or behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`) the last one in X-Forwarded-For that is none of theirs.',
  }),
  hours: z.array(Hours).min(1).max(28).nullable().meta({
    description:
      'When calls are answered; null: always. At other times a call is 403 `outside_hours`, with the next opening. A call in flight goes on to its end.',
  }),
  defaultMaxTokens: z.int().min(1).max(10_000_000).nullable().meta({
    description:
      'Most output tokens of one answer to a request that states no maximum. It is held for whole and sent to the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no more is asked for than the model gives. Null: whole answers are held for 16,384 and streams for 2,048 at first, and the provider is told no maximum.',
  }),
  holdWaitMs: z.int().min(0).max(60_000).nullable().meta({
    description:
      'How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is 429 `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its operator changes it).',
  }),
  providerTools: z.enum(['drop', 'refuse']).meta({
    description:
      'Tools that the provider would run and the request merely offers: `drop` takes them out and names them in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model is made to call is always refused.',
  }),
  conversion: z.enum(['lenient', 'strict']).meta({
    description:
      'Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names them in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.',
  }),
  passTraceparent: z.boolean().meta({
    description:
      'Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged (W3C Trace Context), so that its spans join the client’s trace. False: the provider learns nothing of it.',
  }),
}

/** The settings, all optional. An omitted setting keeps its value. */
export const GatewayChanges = z.strictObject({
  wires: z.exactOptional(gatewaySettings.wires),
  models: z.exactOptional(gatewaySettings.models),
  origins: z.exactOptional(gatewaySettings.origins),
  addresses: z.exactOptional(gatewaySettings.addresses),
  hours: z.exactOptional(gatewaySettings.hours),
  defaultMaxTokens: z.exactOptional(gatewaySettings.defaultMaxTokens),
  holdWaitMs: z.exactOptional(gatewaySettings.holdWaitMs),
  providerTools: z.exactOptional(gatewaySettings.providerTools),
  conversion: z.exactOptional(gatewaySettings.conversion),
  passTraceparent: z.exactOptional(gatewaySettings.passTraceparent),
})

export const GatewayView = z
  .object({
    application: ApplicationSlug,
    gateway: z.string().meta({
      description: 'Its address, the base URL of clients.',
      examples: ['http://acme.gateway.localhost:8080'],
    }),
    localGateway: z.exactOptional(z.string()).meta({
      description: 'The same by address and port, for clients that do not resolve `*.localhost`.',
      examples: ['http://127.0.0.1:8101'],
    }),
    hosts: z.array(z.string()).meta({
      description: 'Host headers at which it answers.',
      examples: [['acme.gateway.localhost:8080', '127.0.0.1:8101']],
    }),
    ...gatewaySettings,
  })
  .meta({ id: 'Gateway', description: 'What the gateway of an application answers, and where.' })

/** Returns the stored settings of the application, or the defaults if none are stored. */
export async function gatewaySettingsOf({
  application,
  store,
}: ApplicationContext): Promise<GatewaySettings> {
  return (await store.gatewaySettings.of(application.id)) ?? unsetGateway(application.id)
}

export function gatewayView(
  set: GatewaySettings,
  { application, ports }: ApplicationContext,
): z.output<typeof GatewayView> {
  const { gateway, localGateway } = ports.urls(application)
  return {
    application: application.slug,
    gateway,
    ...(localGateway !== undefined && { localGateway }),
    hosts: [gateway, localGateway].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
    ...settingsView(set),
  }
}

/** Returns the settings without other fields. */
export function settingsView(set: GatewaySettings): z.output<z.ZodObject<typeof gatewaySettings>> {
  return {
    wires: set.wires && [...set.wires],
    models: set.models && [...set.models],
    origins: [...set.origins],
    addresses: set.addresses && [...set.addresses],
    hours: set.hours && set.hours.map((hours) => ({ ...hours, days: [...hours.days] })),
    defaultMaxTokens: set.defaultMaxTokens,
    holdWaitMs: set.holdWaitMs,
    providerTools: set.providerTools,
    conversion: set.conversion,
    passTraceparent: set.passTraceparent,
  }
}

/** A list without duplicates. */
function distinct<Item extends z.ZodType>(item: Item, itemsMax: number, itemsMin = 1) {
  return z
    .array(item)
    .min(itemsMin)
    .max(itemsMax)
    .refine((items) => new Set(items).size === items.length, { error: 'must name each one once' })
    .meta({ uniqueItems: true })
}

/**
 * Schemes of desktop programs (`app://obsidian.md`) have no rules for hosts. The URL parser accepts `*` in a host name.
 */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return !text.includes('*') && URL.parse(text)?.origin === text
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?::\d{1,5})?$/.test(text)
}
