import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { bill, type BillInput } from './organization-bill.ts'
import {
  monthAfter,
  monthNamed,
  monthOfDay,
  moveTo,
  stepsOf,
  tierNamed,
  tierOn,
  type TierChange,
  type TierTable,
} from './organization-tier-by-day.ts'

const table: TierTable = {
  version: 'v1',
  tiers: [
    {
      name: 'free',
      baseMicros: 0n,
      includedCalls: 100,
      perThousandCallsMicros: 1_000_003n,
      includedSeats: 1,
      perSeatMicros: 7n,
    },
    {
      name: 'team',
      baseMicros: 49_000_000n,
      includedCalls: 1_000,
      perThousandCallsMicros: 400_001n,
      includedSeats: 3,
      perSeatMicros: 10_000_000n,
    },
    {
      name: 'scale',
      baseMicros: 499_000_000n,
      includedCalls: 9_000,
      perThousandCallsMicros: 150_001n,
      includedSeats: 9,
      perSeatMicros: 8_000_000n,
    },
  ],
}
const names = ['free', 'team', 'scale']
const tableOf = () => table
const november = monthNamed('2026-11')

const inputOf = (more: Partial<BillInput> = {}): BillInput => ({
  month: '2026-11',
  table: 'v1',
  steps: [{ tier: 'team', day: 0, calls: 0 }],
  seats: 1,
  late: [],
  ...more,
})
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}` : one))

describe('a bill', () => {
  it.each([
    [0, 49_000_000n],
    [1_000, 49_000_000n],
    // The additional calls cost 400.001 micros, which is rounded up to 401.
    [1_001, 49_000_401n],
    [2_000, 49_400_001n],
  ])(
    'a bill for a whole month with %i calls contains the base price and the calls that are not included',
    (calls, totalMicros) => {
      const made = bill(inputOf({ steps: [{ tier: 'team', day: 0, calls }] }), tableOf)
      expect(made.totalMicros).toBe(totalMicros)
    },
  )

  it.each([
    [3, 49_000_000n],
    [4, 59_000_000n],
  ])(
    'a bill with %i seats contains the base price and the seats that are not included',
    (seats, totalMicros) => {
      expect(bill(inputOf({ seats }), tableOf).totalMicros).toBe(totalMicros)
    },
  )

  it('an upgrade within the month charges the price difference for the remaining days, including the day of the upgrade', () => {
    const steps = [
      { tier: 'team', day: 0, calls: 1_000 },
      // For 10 of 30 days, the upgrade costs a third of 450 dollars and includes a third of 8,000 more calls.
      { tier: 'scale', day: 20, calls: 2_667 },
    ]
    expect(bill(inputOf({ steps, seats: 10 }), tableOf).lines).toEqual([
      line({
        kind: 'base',
        tier: 'team',
        days: 30,
        quantity: 1,
        unitMicros: 49_000_000n,
        amountMicros: 49_000_000n,
      }),
      line({
        kind: 'upgrade',
        tier: 'scale',
        days: 10,
        quantity: 1,
        unitMicros: 450_000_000n,
        amountMicros: 150_000_000n,
      }),
      line({ kind: 'calls', tier: 'team', days: 20, quantity: 0, included: 1_000, unitMicros: 400_001n }),
      line({
        kind: 'calls',
        tier: 'scale',
        days: 10,
        quantity: 1,
        included: 2_666,
        unitMicros: 150_001n,
        amountMicros: 151n,
      }),
      line({
        kind: 'seats',
        tier: 'team',
        days: 20,
        quantity: 7,
        unitMicros: 10_000_000n,
        amountMicros: 46_666_667n,
      }),
      line({
        kind: 'seats',
        tier: 'scale',
        days: 10,
        quantity: 1,
        unitMicros: 8_000_000n,
        amountMicros: 2_666_667n,
      }),
    ])
  })

  it('an upgrade does not change the price of earlier calls, and its additional included calls do not cover earlier calls', () => {
    const before = bill(inputOf({ steps: [{ tier: 'team', day: 0, calls: 1_500 }] }), tableOf)
    const steps = [
      { tier: 'team', day: 0, calls: 1_500 },
      { tier: 'scale', day: 29, calls: 0 },
    ]
    const after = bill(inputOf({ steps }), tableOf)
    const callsOf = ({ lines }: typeof before) => lines.filter(({ kind }) => kind === 'calls')
    expect(callsOf(after)[0]).toMatchObject({ quantity: 500, amountMicros: callsOf(before)[0]?.amountMicros })
    expect(after.totalMicros - before.totalMicros).toBe(15_000_000n)
  })

  it('calls that are found after their month was billed cost the amount by which they would have increased that bill', () => {
    const late = {
      month: '2026-10',
      table: 'v1',
      steps: [
        { tier: 'free', day: 0, calls: 90, more: 15 },
        { tier: 'team', day: 30, calls: 20, more: 10 },
      ],
    }
    const made = bill(inputOf({ late: [late] }), tableOf)
    // In the free tier, 5 calls exceed the included calls. The 30 calls after the upgrade exceed their share of the
    // included calls, 29 (900/31), by 1 call.
    expect(made.lines.at(-1)).toEqual(
      line({
        kind: 'late_calls',
        month: '2026-10',
        tier: null,
        days: 31,
        quantity: 25,
        unitMicros: null,
        amountMicros: 5_001n + 401n,
      }),
    )
    const steps = late.steps.map((step) => ({ ...step, calls: step.calls + step.more }))
    const whole = bill(inputOf({ month: '2026-10', steps }), tableOf).totalMicros
    const first = bill(inputOf({ month: '2026-10', steps: late.steps }), tableOf).totalMicros
    expect(first + (made.lines.at(-1)?.amountMicros ?? 0n)).toBe(whole)
  })

  it('the steps of a bill must be in order, begin on the first day and use existing tiers', () => {
    const wrong: readonly BillInput['steps'][] = [
      [],
      [{ tier: 'team', day: 1, calls: 0 }],
      [{ tier: 'none', day: 0, calls: 0 }],
      [
        { tier: 'free', day: 0, calls: 0 },
        { tier: 'team', day: 30, calls: 0 },
      ],
      [
        { tier: 'free', day: 0, calls: 0 },
        { tier: 'team', day: 5, calls: 0 },
        { tier: 'scale', day: 5, calls: 0 },
      ],
    ]
    for (const steps of wrong) expect(() => bill(inputOf({ steps }), tableOf)).toThrow(MoneyBroken)
  })
})

describe('for any month, tier changes and calls', () => {
  it('the same input always produces the same bill, byte for byte, even after the input was stored', () => {
    fc.assert(
      fc.property(history, ({ calls, moves, seats }) => {
        for (const input of inputsOf(moves, calls, seats)) {
          const stored: BillInput = JSON.parse(JSON.stringify(input))
          expect(textOf(bill(stored, tableOf))).toBe(textOf(bill(input, tableOf)))
        }
      }),
    )
  })

  it('the total of a bill is the sum of its lines, and each line is the exact amount rounded up once', () => {
    fc.assert(
      fc.property(history, ({ calls, moves, seats }) => {
        for (const input of inputsOf(moves, calls, seats)) {
          const made = bill(input, tableOf)
          expect(made.totalMicros).toBe(naiveTotal(input))
          expect(made.lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)).toBe(made.totalMicros)
        }
      }),
    )
  })

  it('switching between tiers saves no money: each day is charged at its own tier, with the included calls of that tier', () => {
    fc.assert(
      fc.property(history, ({ calls, moves, seats }) => {
        const changes = timelineOf(moves)
        for (const input of inputsOf(moves, calls, seats)) {
          const month = monthNamed(input.month)
          const days = Array.from({ length: month.days }, (_, i) =>
            tierNamed(table, tierOn(changes, month.firstDay + i, table)),
          )
          const made = bill(input, tableOf)
          const sum = (of: (day: (typeof days)[number]) => bigint): bigint =>
            days.reduce((all, day) => all + of(day), 0n)
          const base = made.lines.filter(({ kind }) => kind === 'base' || kind === 'upgrade')
          const paid = base.reduce((all, { amountMicros }) => all + amountMicros, 0n)
          const monthDays = BigInt(month.days)
          expect(paid * monthDays >= sum(({ baseMicros }) => baseMicros)).toBe(true)
          const included = BigInt(made.lines.reduce((all, one) => all + one.included, 0))
          expect(included * monthDays <= sum(({ includedCalls }) => BigInt(includedCalls))).toBe(true)
          // The bill is never higher than for a whole month on the most expensive of the tiers.
          const dearest = days.at(-1)
          expect(included <= BigInt(dearest?.includedCalls ?? 0)).toBe(true)
        }
      }),
    )
  })

  it('a downgrade followed by an upgrade, or two upgrades on one day, do not change a bill by a micro', () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 30 }), ({ calls, moves, seats }, at) => {
        const toggled: Move[] = []
        for (const [i, move] of moves.entries()) {
          toggled.push(move)
          if (i !== at % Math.max(1, moves.length)) continue
          // On the same day, the organization moves to the cheapest tier and back to the last requested tier.
          toggled.push({ ...move, tier: 'free' }, move)
        }
        const bills = (of: readonly Move[]): string =>
          textOf(inputsOf(of, calls, seats).map((input) => bill(input, tableOf)))
        const total = (of: readonly Move[]): bigint =>
          inputsOf(of, calls, seats).reduce((sum, input) => sum + bill(input, tableOf).totalMicros, 0n)
        expect(bills(toggled)).toBe(bills(moves))
        expect(total(toggled)).toBe(total(moves))
      }),
    )
  })

  it('the price of late calls is the amount by which the calls would have increased the bill of their month', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat({ max: 5_000 }), { minLength: 9, maxLength: 9 }), (past, more) => {
        for (const input of inputsOf(past.moves, past.calls, past.seats)) {
          const steps = input.steps.map((step, i) => ({ ...step, calls: step.calls + (more[i] ?? 0) }))
          const late = { ...input, steps: input.steps.map((step, i) => ({ ...step, more: more[i] ?? 0 })) }
          const next = bill(inputOf({ late: [late] }), tableOf).lines.at(-1)?.amountMicros ?? 0n
          expect(next >= 0n).toBe(true)
          expect(bill(input, tableOf).totalMicros + next).toBe(bill({ ...input, steps }, tableOf).totalMicros)
        }
      }),
    )
  })
})

describe('a move to a tier', () => {
  const changes: readonly TierChange[] = [{ fromDay: november.firstDay + 9, tier: 'team' }]
  const on = (day: number) => november.firstDay + day

  it('a move to a more expensive tier takes effect the same day, and a move to a cheaper tier next month', () => {
    expect(moveTo('scale', changes, on(12), table)).toEqual({ tier: 'scale', fromDay: on(12) })
    expect(moveTo('free', changes, on(12), table)).toEqual({ tier: 'free', fromDay: on(30) })
    expect(moveTo('team', changes, on(12), table)).toBeNull()
    expect(moveTo('team', changes, on(8), table)).toEqual({ tier: 'team', fromDay: on(8) })
    expect(moveTo('free', changes, on(8), table)).toBeNull()
  })

  it('changes of the tier split a month into steps, and each step has the calls of its days', () => {
    const all = [...changes, { fromDay: on(30), tier: 'free' }]
    expect(stepsOf(all, november, () => 2, table)).toEqual([
      { tier: 'free', day: 0, calls: 18 },
      { tier: 'team', day: 9, calls: 42 },
    ])
    expect(stepsOf(all, monthAfter(november), () => 1, table)).toEqual([{ tier: 'free', day: 0, calls: 31 }])
  })

  it('months have the correct names and numbers of days, including leap years', () => {
    expect(monthNamed('2028-02')).toEqual({ name: '2028-02', firstDay: 21_215, days: 29 })
    expect(monthAfter(monthNamed('2026-12')).name).toBe('2027-01')
    expect(monthOfDay(on(29)).name).toBe('2026-11')
    for (const name of ['2026-13', '2026-1', '26-01', '2026-11-01', '']) {
      expect(() => monthNamed(name)).toThrow(MoneyBroken)
    }
  })
})

interface Move {
  /** In days after November 1, 2026. */
  readonly onDay: number
  readonly tier: string
}

const historyDays = 92
const history = fc.record({
  moves: fc
    .array(fc.record({ onDay: fc.nat({ max: historyDays - 1 }), tier: fc.constantFrom(...names) }), {
      maxLength: 8,
    })
    .map((moves) => moves.toSorted((one, other) => one.onDay - other.onDay)),
  calls: fc.array(fc.nat({ max: 400 }), { minLength: historyDays, maxLength: historyDays }),
  seats: fc.nat({ max: 12 }),
})

function timelineOf(moves: readonly Move[]): readonly TierChange[] {
  let changes: readonly TierChange[] = []
  for (const { onDay, tier } of moves) {
    const today = november.firstDay + onDay
    const change = moveTo(tier, changes, today, table)
    const past = changes.filter(({ fromDay }) => fromDay <= today && fromDay !== change?.fromDay)
    changes = change === null ? past : [...past, change]
  }
  return changes
}

function inputsOf(moves: readonly Move[], calls: readonly number[], seats: number): BillInput[] {
  const changes = timelineOf(moves)
  const december = monthAfter(november)
  return [november, december, monthAfter(december)].map((month) => ({
    month: month.name,
    table: 'v1',
    steps: stepsOf(changes, month, (day) => calls[day - november.firstDay] ?? 0, table),
    seats,
    late: [],
  }))
}

/** Computes the bill day by day and call by call. */
function naiveTotal({ month, seats, steps }: BillInput): bigint {
  const { days } = monthNamed(month)
  const up = (micros: bigint, share: bigint): bigint => (micros + share - 1n) / share
  let total = 0n
  let pool = 0
  for (const [i, step] of steps.entries()) {
    const tier = tierNamed(table, step.tier)
    const last = steps[i - 1]
    const before = last && tierNamed(table, last.tier)
    const left = days - step.day
    const daysOn = (steps[i + 1]?.day ?? days) - step.day
    total += up((tier.baseMicros - (before?.baseMicros ?? 0n)) * BigInt(left), BigInt(days))
    pool += Math.floor(((tier.includedCalls - (before?.includedCalls ?? 0)) * left) / days)
    let over = 0n
    for (let call = 0; call < step.calls; call++) {
      if (pool > 0) pool -= 1
      else over += tier.perThousandCallsMicros
    }
    total += up(over, 1_000n)
    const further = BigInt(Math.max(0, seats - tier.includedSeats))
    total += up(further * tier.perSeatMicros * BigInt(daysOn), BigInt(days))
  }
  return total
}

function line(
  of: Partial<ReturnType<typeof bill>['lines'][number]>,
): Partial<ReturnType<typeof bill>['lines'][number]> {
  return { month: '2026-11', included: 0, amountMicros: 0n, ...of }
}
