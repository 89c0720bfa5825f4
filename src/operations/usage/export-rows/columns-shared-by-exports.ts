/**
 * The columns of both kinds of exports, each with its name in each kind. In FOCUS, columns outside the specification
 * are named `x_...`, and amounts are in dollars.
 */
import * as z from 'zod'
import { figureOf, type MoneyName, paidNames } from '#domain/sums-of-request-figures.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { formatDollars, formatMicros } from '#money/amount.ts'
import { furtherNames } from '#operations/kernel/request-figure-fields.ts'
import { MicrosSum, SignedMicros } from '#operations/kernel/value-and-page-schemas.ts'
import { column, type Column } from './ndjson-and-csv-rows.ts'

export type ColumnSet = 'usage' | 'focus'
type SharedColumn = Readonly<Record<ColumnSet, Column>>

interface Amount {
  /** In micros. FOCUS uses the same text for dollars. */
  readonly description: string
  readonly schema: z.ZodType
  /** The meaning of null, as a sentence. Omit if the amount is never null. */
  readonly nullIf?: string
  readonly of: (record: UsageRecord) => bigint | null
}

/** @param description the description of the amount in micros; the word "dollars" replaces "micros" */
export function dollars(description: string): z.ZodType {
  return z
    .string()
    .regex(/^-?[0-9]+\.[0-9]{6}$/)
    .meta({ description: description.replace('micros', 'dollars') })
}

function amount(usage: string, focus: string, { description, nullIf, of, schema }: Amount): SharedColumn {
  const told = nullIf === undefined ? description : `${description} ${nullIf}`
  const written = (name: string, as: z.ZodType, text: (micros: bigint) => string): Column => {
    const cell: Column['of'] = (record) => {
      const micros = of(record)
      return micros === null ? null : text(micros)
    }
    return column(name, nullIf === undefined ? as : as.nullable(), cell, 'number')
  }
  return {
    usage: written(usage, schema.meta({ description: told }), formatMicros),
    focus: written(focus, dollars(told), formatDollars),
  }
}

function fact(usage: string, focus: string, schema: z.ZodType, of: Column['of']): SharedColumn {
  return { usage: column(usage, schema, of), focus: column(focus, schema, of) }
}

/** Only names that do not follow from the amount's own name. */
const focusNames: Readonly<Partial<Record<MoneyName, string>>> = {
  billedMicros: 'x_SoldFor',
  chargeMicros: 'x_ChargedToEndUser',
  paidPlanMicros: 'x_PaidFromPlan',
  paidWalletMicros: 'x_PaidFromWallet',
  paidGiftMicros: 'x_PaidFromGift',
  onDemandMicros: 'x_OnDemand',
  overdraftMicros: 'x_Overdraft',
}

function focusName(name: MoneyName): string {
  const { wire } = figureOf(name)
  return focusNames[name] ?? `x_${wire.charAt(0).toUpperCase()}${wire.slice(1).replace(/Micros$/, '')}`
}

const chargeNames: readonly MoneyName[] = [
  'billedMicros',
  'chargeMicros',
  ...paidNames,
  'overHoldMicros',
  ...furtherNames,
]

/** The amounts of a correction are the differences from the earlier amounts. */
const charge: readonly SharedColumn[] = chargeNames.map((name) => {
  const { description, isCorrected, wire } = figureOf(name)
  return amount(wire, focusName(name), {
    description,
    ...(paidNames.some((part) => part === name) && {
      nullIf:
        'Null for requests recorded by an older gateway version, which did not store which source paid.',
    }),
    schema: isCorrected === true ? SignedMicros : MicrosSum,
    of: (record) => record[name],
  })
})

export const countSource = fact(
  'tokenCountSource',
  'x_TokenCountSource',
  z.enum(['provider_reported', 'estimated', 'recovered']).meta({
    description:
      'Source of the token counts. `provider_reported`: the provider reported the counts. `estimated`: the gateway counted the tokens. `recovered`: the counts are from the last checkpoint before a crash.',
  }),
  ({ tokenSource }) => tokenSource,
)

/** The parts of the cost that the provider did not report, and whether the cost is disputed. */
const certainty: readonly SharedColumn[] = [
  amount('estimatedMicros', 'x_EstimatedCost', {
    description:
      'Provider cost, in micros, if the token counts are `estimated` or `recovered`. 0 for other requests, and for corrections.',
    schema: MicrosSum,
    of: ({ correction, costMicros, tokenSource }) =>
      correction === null && tokenSource !== 'provider_reported' ? costMicros : 0n,
  }),
  amount('assumedMicros', 'x_AssumedCost', {
    description:
      'Part of the provider cost that was computed at assumed rates, in micros, because the account has no rate for a kind of usage. 0 for corrections.',
    schema: MicrosSum,
    of: ({ assumedMicros }) => assumedMicros,
  }),
  fact(
    'disputed',
    'x_Disputed',
    z.boolean().nullable().meta({
      description:
        'Whether the provider may charge an amount other than the computed cost. `requests.explain` returns the reasons. Null if the provider states no cost and no reason for another amount is known. A correction has the same value as its request.',
    }),
    ({ isDisputed }) => isDisputed,
  ),
]

export const chargeColumns = (set: ColumnSet): Column[] => charge.map((one) => one[set])
export const certaintyColumns = (set: ColumnSet): Column[] => certainty.map((one) => one[set])
