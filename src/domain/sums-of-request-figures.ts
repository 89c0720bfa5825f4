/** Names, values and sums of the figures (amounts and counts) in table-of-request-figures.ts. */
import { type Figure, figures, type SettledRequest } from '#domain/reports/table-of-request-figures.ts'
import { sumsOf } from './add-records-by-field.ts'

export type FigureName = keyof typeof figures
type NameOf<Unit extends Figure['unit']> = {
  [name in FigureName]: (typeof figures)[name]['unit'] extends Unit ? name : never
}[FigureName]
export type MoneyName = NameOf<'micros'>
export type CountName = NameOf<'calls' | 'tokens'>
export type TokenName = NameOf<'tokens'>
export type CorrectedName = {
  [name in FigureName]: (typeof figures)[name] extends { readonly isCorrected: true } ? name : never
}[FigureName] &
  MoneyName
/** The figures (amounts) that every record of a call has. */
export type RecordName = Exclude<FigureName, 'calls'>

export type Figures<Name extends FigureName> = { [name in Name]: name extends MoneyName ? bigint : number }
/** The sums are changed in place. */
export type Money = Figures<MoneyName>
export type Counts = Figures<CountName>

/** The figures that even the oldest records have. All other figures were added later, and are null in older records. */
type FirstName = TokenName | 'costMicros' | 'billedMicros' | 'chargeMicros' | 'overHoldMicros'
export type RecordFigures = Readonly<
  Figures<FirstName> & { [name in Exclude<RecordName, FirstName>]: Figures<name>[name] | null }
>

export function figureOf(name: FigureName): Figure {
  return figures[name]
}

// oxlint-disable typescript/no-unsafe-type-assertion -- the keys of the table
export const figureNames = Object.keys(figures) as readonly FigureName[]
export const moneyNames = named('micros') as readonly MoneyName[]
export const tokenNames = named('tokens') as readonly TokenName[]
export const countNames: readonly CountName[] = ['calls', ...tokenNames]
export const recordNames: readonly RecordName[] = [...tokenNames, ...moneyNames]

export const correctedNames = moneyNames.filter(
  (name): name is CorrectedName => figureOf(name).isCorrected === true,
)
export const usageNames = ['calls', 'inputTokens', 'outputTokens', 'billedMicros', 'overHoldMicros'] as const
export type UsageFigures = Figures<(typeof usageNames)[number]>

function named(unit: Figure['unit']): readonly FigureName[] {
  return figureNames.filter((name) => figureOf(name).unit === unit)
}

/** The parts that a charge is split into, in the order in which sources pay. */
export const paidNames = [
  'paidPlanMicros',
  'paidGiftMicros',
  'paidWalletMicros',
  'onDemandMicros',
  'overdraftMicros',
] as const satisfies readonly MoneyName[]
export type PaidFigures = Figures<(typeof paidNames)[number]>

export function zeroOf<Name extends FigureName>(names: readonly Name[]): Figures<Name> {
  const zeros = names.map((name) => [name, figureOf(name).unit === 'micros' ? 0n : 0])
  return Object.fromEntries(zeros) as Figures<Name>
}

/** The money figures that are exported as metrics. */
export const countedFigures = moneyNames.flatMap((name) => {
  const { metric, of } = figureOf(name)
  return metric === undefined ? [] : [{ name, metric, of }]
})

// Read the functions from the table only once, because the functions run for every settled request.
const countsOf = countNames.map((name) => ({ name, of: figureOf(name).of as (of: SettledRequest) => number }))
const moneyOf = moneyNames.map((name) => ({ name, of: figureOf(name).of as (of: SettledRequest) => bigint }))
const valuesOfRecord = recordNames.map((name) => figureOf(name).of)
// oxlint-enable typescript/no-unsafe-type-assertion

export function addSettled(sum: Counts & Money, settled: SettledRequest): void {
  for (const { name, of } of countsOf) sum[name] += of(settled)
  addSettledMoney(sum, settled)
}

export function addSettledMoney(sum: Money, settled: SettledRequest): void {
  for (const { name, of } of moneyOf) sum[name] += of(settled)
}

/** Returns the amounts of a settled request, in the order of `recordNames`. */
export function recordValues(settled: SettledRequest): (number | bigint)[] {
  return valuesOfRecord.map((of) => of(settled))
}

export const usageSums = sumsOf<UsageFigures>(zeroOf(usageNames))

const money = sumsOf<Money>(zeroOf(moneyNames))

export const zeroMoney = money.zero
export const addMoney = money.add

/**
 * Returns the part of a charge whose payer is not recorded. 0 for every record that was written after charges were
 * split by payer.
 */
export function unattributedMicros(of: Readonly<PaidFigures & Pick<Money, 'chargeMicros'>>): bigint {
  let rest = of.chargeMicros
  for (const name of paidNames) rest -= of[name]
  return rest
}

/**
 * Returns the application's revenue from calls: charges paid from purchased wallet money, plus charges billed on
 * demand.
 */
export function earnedOnCalls({
  onDemandMicros,
  paidWalletMicros,
}: Readonly<Pick<Money, 'onDemandMicros' | 'paidWalletMicros'>>): bigint {
  return paidWalletMicros + onDemandMicros
}
