/** Money fields of requests in responses, generated from the table of figures (domain/figures.ts). */
import type * as z from 'zod'
import {
  figures,
  type Money,
  type MoneyName,
  moneyNames,
  type PaidFigures,
  paidNames,
  unattributedMicros,
} from '#domain/figures.ts'
import { MicrosSum, SignedMicros } from './schemas.ts'

type WireOf<Name extends MoneyName> = (typeof figures)[Name]['wire']
type WireName = WireOf<MoneyName> | 'unattributedMicros'

export type MoneyView = Readonly<Record<WireName, bigint>>
/** The parts of a charge, by who paid. */
export type PaidView = Readonly<Record<WireOf<(typeof paidNames)[number]> | 'unattributedMicros', bigint>>

type Fields<Name extends string, Schema extends z.ZodType> = Readonly<Record<Name, Schema>>

const unattributed = 'Part of the charge of requests recorded before payments were split, in micros.'

function fieldsOf<Schema extends z.ZodType>(
  names: readonly MoneyName[],
  schema: Schema,
): Record<string, Schema> {
  const entries = names.map((name) => [
    figures[name].wire,
    schema.meta({ description: figures[name].description }),
  ])
  return Object.fromEntries([...entries, ['unattributedMicros', schema.meta({ description: unattributed })]])
}

// oxlint-disable typescript/no-unsafe-type-assertion -- the wire names of the table

/** Amounts of requests. Corrections of earlier requests can make the amount of a range negative. */
export const signedMoneyFields = fieldsOf(moneyNames, SignedMicros) as Fields<WireName, typeof SignedMicros>
export const paidFields = fieldsOf(paidNames, MicrosSum) as Fields<keyof PaidView, typeof MicrosSum>

export function moneyView(money: Readonly<Money>): MoneyView {
  const entries = moneyNames.map((name) => [figures[name].wire, money[name]])
  return { ...Object.fromEntries(entries), unattributedMicros: unattributedMicros(money) } as MoneyView
}

export function paidView(paid: Readonly<PaidFigures & Pick<Money, 'chargeMicros'>>): PaidView {
  const entries = paidNames.map((name) => [figures[name].wire, paid[name]])
  return { ...Object.fromEntries(entries), unattributedMicros: unattributedMicros(paid) } as PaidView
}
