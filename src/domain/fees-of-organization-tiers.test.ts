import { describe, expect, it } from 'vitest'
import { sha256 } from '#domain/secrets/sha256.ts'
import { tierNames, tierTableIn, tierTableOf } from './fees-of-organization-tiers.ts'

/** The server computes issued bills again from these tables, so an existing version must not change. */
const digests: Readonly<Record<string, string>> = {
  '2026-11': '123ec770f57d11c9990d85e87656e0ae37c9d998519acedc8ef96ffe9bd83fcc',
}

describe('the tier tables', () => {
  it.each(Object.entries(digests))(
    'version %s of the table is unchanged since it was published',
    (version, digest) => {
      const text = JSON.stringify(tierTableOf(version).tiers, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      expect(sha256(text)).toBe(digest)
    },
  )

  it.each(['2026-11', '2030-01', '0001-01'])(
    'the table that applies in %s contains every tier, and more expensive tiers grant more',
    (month) => {
      const { tiers, version } = tierTableIn(month)
      expect(digests).toHaveProperty([version])
      expect(tiers.map(({ name }) => name)).toEqual(tierNames)
      for (const [i, tier] of tiers.slice(1).entries()) {
        const cheaper = tiers[i]
        expect(tier.baseMicros > (cheaper?.baseMicros ?? 0n)).toBe(true)
        expect(tier.includedCalls).toBeGreaterThan(cheaper?.includedCalls ?? 0)
        expect(tier.includedSeats).toBeGreaterThan(cheaper?.includedSeats ?? 0)
        expect(tier.perThousandCallsMicros < (cheaper?.perThousandCallsMicros ?? 0n)).toBe(true)
        expect(tier.perSeatMicros < (cheaper?.perSeatMicros ?? 0n)).toBe(true)
      }
    },
  )

  it('an unknown version of the tables is rejected', () => {
    expect(() => tierTableOf('1999-01')).toThrow('there is no tier table 1999-01')
  })
})
