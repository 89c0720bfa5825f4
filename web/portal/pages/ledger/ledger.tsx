/** Entries are never changed or deleted. */
import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { ledgerReasonWords } from '#web/ui/ledger-reason-words.ts'
import { Money, When } from '#web/ui/formatted-values.tsx'
import { useAccount } from '#web/portal/account-and-plan-hooks.ts'
import { useFresh } from '#web/portal/response-cache.ts'
import { useSearch } from '#web/portal/portal-router.tsx'
import { receiptPath } from '#web/portal/pages-of-url-paths.ts'
import { useRows } from '#web/portal/paged-list-hook.ts'
import { client } from '#web/portal/end-user-session.ts'
import { useSourceWords } from '#web/portal/payment-source-words.ts'
import { BigMoney } from '#web/portal/ui/big-money.tsx'
import { ExpiringCredit } from '#web/portal/ui/expiring-credit.tsx'
import { List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'
import { MoreRows } from '#web/portal/ui/load-more-rows-button.tsx'
import { Select } from '#web/portal/ui/select.tsx'
import { Amount } from './amount-of-entry.tsx'
import { before, kindWords } from './monthly-statement.ts'
import { StatementDownload } from './download-statement.tsx'

type Entry = types.LedgerEntry

const sources = [
  ['wallet', 'Balance'],
  ['all', 'Balance, plan and on-demand usage'],
] as const

export default function Ledger(): ReactNode {
  const [search, setSearch] = useSearch()
  const source = search.get('source') === 'all' ? 'all' : 'wallet'
  const rows = useRows(`ledger ${source}`, (part) => client.portal.ledger({ source, ...part }))
  useFresh([`ledger ${source}`], 30_000)
  const sourceWords = useSourceWords()
  return (
    <>
      <PageTitle
        title="Ledger"
        about="All credits and charges, newest first. Entries are never changed or deleted. Times are in UTC."
      />
      <div className="mb-6">
        <Select
          label="Entries for"
          value={source}
          options={sources}
          onChange={(next) => setSearch({ source: next === 'all' ? next : null })}
        />
      </div>
      <Shown answer={rows} what="Your ledger" rows={8}>
        {(entries) => (
          <>
            {source === 'wallet' && (
              <>
                <Sum newest={entries[0]} />
                <MoreCredit />
              </>
            )}
            {entries.length === 0 ? (
              <p className="border-t border-line py-4 text-ink-2">
                No entries yet. Credits, charges and refunds appear here, each with the balance after it.
              </p>
            ) : (
              <>
                <List label="Entries">
                  {entries.map((entry) => (
                    <EntryRow
                      key={entry.id}
                      entry={entry}
                      source={source === 'all' ? sourceWords(entry) : null}
                    />
                  ))}
                </List>
                {source === 'wallet' && <Rest oldest={entries.at(-1)} />}
                <MoreRows rows={rows} what="entries" />
                <StatementDownload />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

/** Equals the balance after the newest entry. */
function Sum({ newest }: { readonly newest: Entry | undefined }): ReactNode {
  const account = useAccount().value
  if (!newest) return null
  const hasExpiring = account !== undefined && account.balance.expiringCredit.length > 0
  return (
    <div className="mb-4" data-sum>
      <h2 className="text-ink-2">
        {hasExpiring ? 'Balance without credit that expires' : 'Balance'} (sum of all entries)
      </h2>
      <p>
        <BigMoney micros={newest.balanceAfterUnits} />
      </p>
    </div>
  )
}

/** Other pages include expiring credit in the balance, but this credit has separate ledger entries. */
function MoreCredit(): ReactNode {
  const credits = useAccount().value?.balance.expiringCredit ?? []
  if (credits.length === 0) return null
  return (
    <div className="mb-4">
      <ExpiringCredit credits={credits} name="More credit" />
      <p className="mt-2 text-13 text-ink-2">
        To see the ledger entries of credit that expires, choose “Balance, plan and on-demand usage”.
      </p>
    </div>
  )
}

/** The sum of older entries, so that the list adds up. */
function Rest({ oldest }: { readonly oldest: Entry | undefined }): ReactNode {
  if (!oldest || before(oldest) === 0n) return null
  return (
    <p className="flex min-h-12 items-center justify-between border-b border-line text-ink-2" data-rest>
      <span>Balance before these entries</span>
      <Money micros={before(oldest)} />
    </p>
  )
}

function EntryRow({
  entry,
  source,
}: {
  readonly entry: Entry
  /** Null if the list has only one source. */
  readonly source: string | null
}): ReactNode {
  const { amountUnits, balanceAfterUnits, createdAt, kind, reason, requestId, unit } = entry
  const content = (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">
          {kindWords(kind)}
          {reason !== undefined && (
            <bdi className="ml-2 font-normal text-ink-2" title={reason}>
              {ledgerReasonWords(reason)}
            </bdi>
          )}
        </span>
        <span className="block truncate text-14 text-ink-2">
          <When at={createdAt} />
          {source !== null && <> · {source}</>}
        </span>
      </span>
      <span className="shrink-0 text-right" data-entry={entry.id}>
        <span className="block font-medium">
          <Amount units={amountUnits} unit={unit} isSigned />
        </span>
        <span className="block text-14 text-ink-2">
          <span className="sr-only">balance after this entry: </span>
          <Amount units={balanceAfterUnits} unit={unit} />
        </span>
      </span>
    </>
  )
  return requestId === undefined ? <Row>{content}</Row> : <Row to={receiptPath(requestId)}>{content}</Row>
}
