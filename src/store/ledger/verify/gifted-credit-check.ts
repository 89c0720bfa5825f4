import { MoneyBroken } from '#money/amount.ts'
import { paidByPayer, walletSplit } from '#money/charge-split-by-payer.ts'
import type { Leg } from '#money/decision-types.ts'
import { givenAfter, type LedgerKind } from '#money/posting.ts'
import { legsFromText } from '#store/rows/legs-column.ts'
import { bigintIn, bigintOrNullIn, type SqlRow, textIn, wordIn } from '#store/rows/read-row-strictly.ts'
import { Differences } from './first-difference-and-count.ts'
import type { StoreReading, Verification } from './store-snapshot-interface.ts'

const kinds: readonly LedgerKind[] = ['topup', 'grant', 'usage_debit', 'refund', 'reversal', 'adjustment']

/** Ordered by wallet and sequence number. A debit also has the amount that its usage record assigns to the wallet. */
const entries = `SELECT l.end_user_id, l.mode, l.sequence, l.kind, l.amount, l.given, s.given AS wallet_given,
    u.paid_wallet_micros, u.overdraft_micros, u.legs
  FROM ledger l
  JOIN sources s ON s.end_user_id = l.end_user_id AND s.mode = l.mode AND s.id = l.source_id AND s.kind = 'wallet'
  LEFT JOIN usage_records u ON l.kind = 'usage_debit'
    AND u.end_user_id = l.end_user_id AND u.application_id = l.application_id AND u.call_id = l.call_id
  ORDER BY l.end_user_id, l.mode, l.sequence`

interface Wallet {
  readonly name: string
  readonly stored: bigint | null
  given: bigint
  posted: bigint
}

/**
 * Computes the granted part of every wallet's balance from the wallet's entries, and compares it with the stored part.
 * Also compares each debit with the granted and paid amounts in its usage record.
 */
export async function walletCheck(reading: StoreReading): Promise<Verification> {
  const found = new Differences()
  let rows = 0
  let wallet: Wallet | null = null
  const end = ({ given, name, stored }: Wallet): void => {
    if (stored !== null && stored !== given) found.add(`${name}: given ${stored}, its ledger says ${given}`)
  }
  for await (const row of reading.stream(entries)) {
    rows += 1
    const name = `wallet of ${textIn(row, 'end_user_id')} (${textIn(row, 'mode')})`
    if (wallet === null || wallet.name !== name) {
      if (wallet !== null) end(wallet)
      wallet = { name, stored: bigintOrNullIn(row, 'wallet_given'), given: 0n, posted: 0n }
    }
    const fault = splitFault(wallet, row, found)
    if (fault !== null) found.add(`${name}, entry ${String(row.sequence)}: ${fault}`)
    const amount = bigintIn(row, 'amount')
    const entry = wordIn(row, 'kind', kinds)
    const givenDelta = bigintOrNullIn(row, 'given')
    try {
      wallet.given = givenAfter(wallet, {
        entry,
        postedDelta: amount,
        ...(givenDelta === null ? {} : { givenDelta }),
      })
    } catch (error) {
      if (!(error instanceof MoneyBroken)) throw error
      found.add(`${name}, entry ${String(row.sequence)}: ${error.message}`)
    }
    wallet.posted += amount
  }
  if (wallet !== null) end(wallet)
  return {
    check: 'the gifted credit of a wallet equals the replay of its ledger',
    rows,
    difference: found.text(),
  }
}

/** Returns null if the usage record contains no split into granted and paid credit, or the same split as the wallet. */
function splitFault(wallet: Wallet, row: SqlRow, found: Differences): string | null {
  const walletMicros = bigintOrNullIn(row, 'paid_wallet_micros')
  if (walletMicros === null) return null
  const expected = walletSplit(wallet, -bigintIn(row, 'amount'))
  const read = (): Leg[] => legsFromText(textIn(row, 'legs'))
  const legs = found.read(`${wallet.name}: the legs of the request of entry ${String(row.sequence)}`, read)
  if (legs === null) return null
  if (
    walletMicros - paidByPayer(legs) === expected.walletMicros &&
    bigintIn(row, 'overdraft_micros') === expected.overdraftMicros
  )
    return null
  return `its record says ${walletMicros} paid, the wallet had ${expected.walletMicros}`
}
