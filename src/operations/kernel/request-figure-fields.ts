/** Response fields, generated from the table in domain/reports/table-of-request-figures.ts. */
import type * as z from 'zod'
import {
  type CountName,
  figureOf,
  type Figures,
  type Money,
  type MoneyName,
  moneyNames,
  type PaidFigures,
  paidNames,
  type TokenName,
  tokenNames,
  unattributedMicros,
} from '#domain/sums-of-request-figures.ts'
import type { figures } from '#domain/reports/table-of-request-figures.ts'
import { Count, MicrosSum, SignedMicros } from './value-and-page-schemas.ts'

type WireOf<Name extends MoneyName> = (typeof figures)[Name]['wire']
type WireName = WireOf<MoneyName> | 'unattributedMicros'

export type MoneyView = Readonly<Record<WireName, bigint>>
/** The amounts of a charge that each source, such as a pool or the wallet, has paid. */
export type PaidView = Readonly<Record<WireOf<(typeof paidNames)[number]> | 'unattributedMicros', bigint>>

type Fields<Name extends string, Schema extends z.ZodType> = Readonly<Record<Name, Schema>>

const unattributed =
  'Part of the charge whose source is not known, in micros. Older versions of the gateway did not store which source paid.'

export function described<Schema extends z.ZodType>(schema: Schema, name: MoneyName | CountName): Schema {
  return schema.meta({ description: figureOf(name).description })
}

function fieldsOf<Schema extends z.ZodType>(
  names: readonly MoneyName[],
  schema: Schema,
): Record<string, Schema> {
  return Object.fromEntries(names.map((name) => [figureOf(name).wire, described(schema, name)]))
}

function splitFieldsOf<Schema extends z.ZodType>(names: readonly MoneyName[], schema: Schema) {
  return { ...fieldsOf(names, schema), unattributedMicros: schema.meta({ description: unattributed }) }
}

const namedInRequest = [
  'chargeMicros',
  'overHoldMicros',
  'billedMicros',
  'costMicros',
  ...paidNames,
] as const satisfies readonly MoneyName[]
type FurtherName = Exclude<MoneyName, (typeof namedInRequest)[number]>
export const furtherNames = moneyNames.filter(
  (name): name is FurtherName => !namedInRequest.some((named) => named === name),
)

// oxlint-disable typescript/no-unsafe-type-assertion -- the wire names of the table
// oxlint-disable typescript/no-generated-empty-object-type -- there are no further figures yet

/** After corrections of earlier requests, the sum of a time range can be negative. */
export const signedMoneyFields = splitFieldsOf(moneyNames, SignedMicros) as Fields<
  WireName,
  typeof SignedMicros
>
export const paidFields = splitFieldsOf(paidNames, MicrosSum) as Fields<keyof PaidView, typeof MicrosSum>
export const furtherFields = fieldsOf(furtherNames, MicrosSum) as Fields<
  WireOf<FurtherName>,
  typeof MicrosSum
>
export const tokenFields = Object.fromEntries(
  tokenNames.map((name) => [name, described(Count, name)]),
) as Fields<TokenName, typeof Count>

/** The fields of requests that end users must not see. */
export const hiddenFields = Object.fromEntries(
  [...Object.keys(signedMoneyFields), 'assumedMicros']
    .filter((name) => name !== 'chargeMicros')
    .map((name) => [name, true]),
) as Readonly<Record<Exclude<WireName, 'chargeMicros'> | 'assumedMicros', true>>

export function moneyView(money: Readonly<Money>): MoneyView {
  return { ...viewOf(moneyNames, money), unattributedMicros: unattributedMicros(money) } as MoneyView
}

export function paidView(paid: Readonly<PaidFigures & Pick<Money, 'chargeMicros'>>): PaidView {
  return { ...viewOf(paidNames, paid), unattributedMicros: unattributedMicros(paid) } as PaidView
}

export function furtherView(money: Readonly<Money>): Readonly<Record<WireOf<FurtherName>, bigint>> {
  return viewOf(furtherNames, money) as Readonly<Record<WireOf<FurtherName>, bigint>>
}

function viewOf<Name extends MoneyName>(
  names: readonly Name[],
  of: Readonly<Figures<Name>>,
): Readonly<Record<string, bigint>> {
  return Object.fromEntries(names.map((name) => [figureOf(name).wire, of[name] as bigint]))
}
