import type { TierTable } from '#money/organization-tier-by-day.ts'

export const tierNames = ['free', 'team', 'scale'] as const
export type TierName = (typeof tierNames)[number]

/**
 * The prices that organizations pay to the operator of this server. The newest version is last. Never change or remove
 * a version that was used to bill a month. The server computes the bills again from this version. Add a new version at
 * the end, with the same tier names.
 */
const tierTables: readonly (TierTable & { readonly fromMonth: string })[] = [
  {
    version: '2026-11',
    fromMonth: '0001-01',
    tiers: [
      {
        name: 'free',
        baseMicros: 0n,
        includedCalls: 10_000,
        perThousandCallsMicros: 1_000_000n,
        includedSeats: 2,
        perSeatMicros: 15_000_000n,
      },
      {
        name: 'team',
        baseMicros: 49_000_000n,
        includedCalls: 250_000,
        perThousandCallsMicros: 400_000n,
        includedSeats: 5,
        perSeatMicros: 10_000_000n,
      },
      {
        name: 'scale',
        baseMicros: 499_000_000n,
        includedCalls: 5_000_000,
        perThousandCallsMicros: 150_000n,
        includedSeats: 25,
        perSeatMicros: 8_000_000n,
      },
    ],
  },
]

/** Returns the version of the table that applies in a month, such as `2026-11`. */
export function tierTableIn(month: string): TierTable {
  const table = tierTables.findLast(({ fromMonth }) => fromMonth <= month)
  if (table === undefined) throw new Error(`no tier table applies in ${month}`)
  return table
}

export function tierTableOf(version: string): TierTable {
  const table = tierTables.find((one) => one.version === version)
  if (table === undefined) throw new Error(`there is no tier table ${version}`)
  return table
}
