/**
 * Schemas of values that several operations use. Each schema is a codec between JSON (its input side) and the value in
 * code (its output side). Decoding and encoding are both checked.
 */
import * as z from 'zod'
import { formatMicros, microsMax } from '#money/amount.ts'
import { patternFault } from '#money/model-name-pattern.ts'
import { allDimensions, factsOf, priceFaults, type Dimension } from '#money/price.ts'
import { roles } from '#domain/people/team-roles.ts'
import { providerKindNames } from '#domain/accounts/provider-kinds.ts'
import type { Page, Position, Rows } from '#domain/list-page.ts'
import { documentedAs } from './openapi-annotations-of-schemas.ts'

const anyAmount = /^(0|[1-9][0-9]*)$/

/** Responses have no maximum amount, so that no response fails because of an amount. */
export const Micros = amount(0n)

/** Only for responses, so the amount has no maximum. */
export const MicrosSum = z
  .codec(z.string().regex(anyAmount), z.bigint(), {
    decode: (digits) => BigInt(digits),
    encode: formatMicros,
  })
  .meta({ description: 'Integer of at least 0, as a decimal string.', examples: ['1000000'] })

export const PositiveMicros = amount(1n)

/** Only for responses. */
export const SignedMicros = z
  .codec(z.string().regex(/^(0|-?[1-9][0-9]*)$/), z.bigint(), {
    decode: (digits) => BigInt(digits),
    encode: formatMicros,
  })
  .meta({ description: 'Integer as a decimal string. Can be negative.' })

/** Rejects 0. */
export const ChangeMicros = z
  .codec(
    z.string().regex(/^-?([1-9][0-9]{0,14}|10{15})$/, {
      error: `must be a decimal string of an integer from -${microsMax} to ${microsMax}, not 0, without plus sign, spaces or leading zeros`,
    }),
    z.bigint(),
    { decode: (digits) => BigInt(digits), encode: formatMicros },
  )
  .meta({ description: 'Integer other than 0, as a decimal string.', examples: ['-500'] })

export const descriptions = {
  localUrl:
    'Address of the portal with an IP address and a port, for clients that do not resolve `*.localhost`.',
  rangeStart: 'First day of the range, or a time on that day. Defaults to 30 days before the end.',
  rangeEnd: 'End of the range (exclusive). Defaults to the end of today.',
  dayAfterRange: 'Day after the last day of the range.',
}

/** Sums over many requests stay far below 2^53. */
export const Count = z.int().min(0)

/**
 * Accepts only times whose year has four digits in every time zone, so that every returned time is also valid in a
 * request.
 */
const instant = z
  .int()
  .min(0, 'must be 1970-01-01 or later')
  .max(Date.UTC(9999, 0) - 1, 'must be before 9999-01-01')

/** ISO 8601 with a time zone in JSON, and milliseconds since 1970 in code. */
export const Timestamp = z
  .codec(
    z.iso.datetime({
      offset: true,
      error: 'must be an ISO 8601 time with a zone, like 2026-11-20T12:00:00Z',
    }),
    instant,
    {
      decode: (iso) => Date.parse(iso),
      encode: (ms) => new Date(ms).toISOString(),
    },
  )
  .meta({ examples: ['2026-11-20T12:00:00.000Z'] })

export function isoOf(atMs: number): string
export function isoOf(atMs: number | null): string | null
export function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

/** A day (UTC) or a point in time, in milliseconds. Only for requests. */
export const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a day (2026-11-20) or an ISO 8601 time with a zone',
  })
  .transform((moment) => Date.parse(moment))
  .pipe(instant)

/** The length is counted in characters, as in JSON Schema, and not in UTF-16 units. */
export function text(lengthMax: number, lengthMin = 1) {
  return z
    .string()
    .regex(oneLine, { error: 'must be text without control characters' })
    .refine((value) => value.isWellFormed(), { error: 'must be text without lone surrogates' })
    .refine((value) => isLong(value, lengthMin, lengthMax), {
      error: `must be ${lengthMin} to ${lengthMax} characters`,
    })
    .meta({ minLength: lengthMin, maxLength: lengthMax })
}

/**
 * Text without control characters and without line or paragraph separators. The pattern lists the characters, because
 * some readers of the OpenAPI document do not support classes such as `\p{Cc}`.
 */
// oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
const oneLine = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/

function isLong(value: string, min: number, max: number): boolean {
  // A character has one or two UTF-16 units. The UTF-16 length alone decides for most texts, whose characters then need
  // not be counted.
  if (value.length < min || value.length > 2 * max) return false
  // oxlint-disable-next-line typescript/no-misused-spread -- code points are what is counted
  const { length } = [...value]
  return length >= min && length <= max
}

export function distinct<Item extends z.ZodType>(item: Item, itemsMax: number, itemsMin = 1) {
  return z
    .array(item)
    .min(itemsMin)
    .max(itemsMax)
    .refine((items) => new Set(items).size === items.length, { error: 'must not contain duplicates' })
    .meta({ uniqueItems: true })
}

export const Slug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'must have 1 to 63 lowercase letters, digits and hyphens (-), with a letter or digit at both ends',
  })
  .meta({ examples: ['pro'] })

/** A DNS label, since it becomes part of two host names. */
export const ApplicationSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/, {
    error: 'must have 2 to 40 lowercase letters, digits and hyphens (-), with a letter or digit at both ends',
  })
  .meta({
    description:
      "Slug of the application. The slug is part of the application's host names and cannot be changed.",
    examples: ['acme'],
  })

/** Aliases are ASCII, so that no two aliases look alike. */
export const AliasName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._:/-]{0,127}$/, {
    error:
      'must have 1 to 128 lowercase letters, digits and the characters . _ : / and -, and must start with a letter or digit',
  })
  .meta({ examples: ['acme/smart'] })

export const Pattern = z
  .string()
  .superRefine((pattern, context) => {
    const fault = patternFault(pattern)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ pattern: '^([a-z0-9][a-z0-9._:/-]{0,127}[*]?|[*])$' })
  .meta({
    description: 'A model name, a prefix followed by `*`, or `*` for every model name.',
    examples: ['acme/*'],
  })

/** IDs start with `pa_`, so that a label is never taken for an ID. */
export const Label = z
  .string()
  .regex(/^(?!pa_)[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
    error:
      'must have 1 to 63 letters, digits and the characters . _ and -, and must start with a letter or digit, but not with pa_',
  })
  .meta({ examples: ['openai-main'] })

export const ExternalId = text(256).meta({
  description: 'External ID of the end user, chosen by the application.',
  examples: ['user-42'],
})

export const ProviderKindSchema = z.enum(providerKindNames).meta({
  description: 'API format of the provider. The simulator is built in and responds without a network.',
})

export const UpstreamModel = text(200).meta({
  description: "The provider's model ID. The ID must match exactly.",
  examples: ['gpt-5-mini'],
})

export const Email = z.email().max(254)

/** In lower case, so that look-ups ignore case. */
export const MemberEmail = z
  .email()
  .max(254)
  .toLowerCase()
  .meta({ examples: ['ada@example.com'] })

/** Rules about kinds of characters would make passwords weaker (NIST SP 800-63B, 3.1.1.2). */
export const NewPassword = text(256, 12).meta({
  description:
    "Password, 12 to 256 characters. Passwords that are easy to guess are rejected: for example common passwords, repetitions, sequences and keyboard rows. The member's email address and the names of the member, the organization and the product are rejected too.",
})

/** Each role includes the rights of the roles before it. */
export const Role = z.enum(roles)

export const Period = z.enum(['day', 'week', 'month', 'total'])
export const Interval = z.enum(['month', 'year'])

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each of them
const rates = Object.fromEntries(allDimensions.map((name) => [name, rateOf(name)])) as Record<
  Dimension,
  ReturnType<typeof rateOf>
>

const tier = z
  .strictObject({
    aboveInputTokens: z.int().min(0).meta({
      description:
        'Lower bound of the tier, in input tokens. The rates apply if the whole input of the request has more tokens than this bound.',
    }),
    ...rates,
  })
  .meta({ id: 'PriceTier', description: 'Rates that replace the standard rates if the input is large.' })

/** Most rates are per million units. An absent rate means that no price is set, and never means 0. */
export const PriceSchema = z
  .strictObject({
    ...rates,
    tiers: z
      .exactOptional(z.array(tier).max(16).readonly())
      .meta({ description: 'Rates for large inputs, in ascending order of `aboveInputTokens`.' }),
    serviceTiers: z.exactOptional(z.record(z.string().min(1).max(64), Micros)).meta({
      description:
        'Price multipliers by service tier, in thousandths. `1000` leaves the price unchanged. The multipliers do not apply to `webSearch`, `codeSession`, `fileSearch` and `cacheStorage`.',
    }),
  })
  .superRefine((price, context) => {
    // After a failed check, some rates may not be readable.
    if (context.issues.length > 0) return
    for (const fault of priceFaults(price)) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({
    id: 'Price',
    description:
      'Rates in micros, per million tokens, characters or seconds, or per use. If the price is in credits, the rates are in millionths of a credit. An omitted rate is unknown and does not count as 0.',
  })

export const Switch = documentedAs(
  z.codec(z.enum(['true', 'false'], { error: 'must be true or false' }), z.boolean(), {
    decode: (word) => word === 'true',
    encode: (isOn) => (isOn ? ('true' as const) : ('false' as const)),
  }),
  { type: 'boolean' },
)

/** @param most at most 999 */
export function queryInteger(most: number) {
  const isKnown = (digits: string): boolean => /^[1-9][0-9]{0,2}$/.test(digits) && Number(digits) <= most
  return documentedAs(
    z.codec(
      z.string().refine(isKnown, { error: `must be a number from 1 to ${most}` }),
      z.int().min(1).max(most),
      { decode: Number, encode: String },
    ),
    { type: 'integer', minimum: 1, maximum: most },
  )
}

/** A cursor can contain an external ID of 1,024 bytes, which base64 lengthens by a third. */
const cursorCharactersMax = 2_000

export const pageQuery = {
  limit: queryInteger(200)
    .default(50)
    .meta({ description: 'Maximum number of rows to return. Defaults to 50.' }),
  cursor: z
    .string()
    .max(cursorCharactersMax)
    .transform((cursor, context): Position => {
      const position = decodePosition(cursor)
      if (position) return position
      context.addIssue({ code: 'custom', message: 'is not a cursor of this list' })
      return z.NEVER
    })
    .optional()
    .meta({ description: '`nextCursor` of the previous page. Omit for the first page.' }),
}

/** `nextCursor` is null on the last page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() })
}

export function pageOf({ cursor, limit }: { limit: number; cursor?: Position | undefined }): Page {
  return { limit, after: cursor ?? null }
}

export async function answerOf<Row, Item>(
  page: Rows<Row> | Promise<Rows<Row>>,
  item: (row: Row) => Item | Promise<Item>,
): Promise<{ data: Item[]; nextCursor: string | null }> {
  const { next, rows } = await page
  return { data: await Promise.all(rows.map(item)), nextCursor: next && encodePosition(next) }
}

function encodePosition({ at, id }: Position): string {
  return Buffer.from(JSON.stringify([at, id]), 'utf8').toString('base64url')
}

function decodePosition(cursor: string): Position | null {
  let parsed: unknown = null
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) return null
  const [at, id]: unknown[] = parsed
  const isPosition =
    typeof at === 'number' && Number.isSafeInteger(at) && typeof id === 'string' && isPlain(id)
  return isPosition ? { at, id } : null
}

function amount(least: bigint) {
  const error = `must be a decimal string of an integer from ${least} to ${microsMax}, without sign, spaces or leading zeros`
  const sendable = least === 0n ? /^(0|[1-9][0-9]{0,14}|10{15})$/ : /^([1-9][0-9]{0,14}|10{15})$/
  return z
    .codec(z.string({ error }).regex(anyAmount, { error }).meta({ pattern: sendable.source }), z.bigint(), {
      decode: (digits, context) => {
        if (sendable.test(digits)) return BigInt(digits)
        context.issues.push({ code: 'custom', input: digits, message: error })
        return z.NEVER
      },
      encode: formatMicros,
    })
    .meta({ description: `Integer of at least ${least}, as a decimal string.`, examples: ['1000000'] })
}

function rateOf(dimension: Dimension) {
  const { counts, isPerMillion, side, units } = factsOf(dimension)
  const ofUse = isPerMillion === true ? `million ${units[1]}` : counts
  const per = side === 'use' ? ofUse : `million tokens of ${counts}`
  const description = `Rate per ${per}, in micros, or in millionths of a credit if the price is in credits.`
  return z.exactOptional(Micros).meta({ description })
}

/** PostgreSQL accepts neither U+0000 nor lone surrogates. The ID of a run can contain line separators. */
function isPlain(value: string): boolean {
  return value.isWellFormed() && !/\p{Cc}/u.test(value)
}
