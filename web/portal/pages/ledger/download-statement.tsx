import { useState, type ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { Button } from '#web/ui/button.tsx'
import { download } from '#web/ui/download.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { useAnswer } from '#web/portal/response-cache.ts'
import { asked, client } from '#web/portal/end-user-session.ts'
import { Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Select } from '#web/portal/ui/select.tsx'
import { monthText } from '#web/portal/time-and-count-text.ts'
import { monthsBack, statementCsv, statementOf } from './monthly-statement.ts'

export function StatementDownload(): ReactNode {
  const usage = useAnswer('usage', () => client.portal.usage())
  const months = usage.value ? monthsBack(Date.parse(usage.value.to) - 1) : []
  const [chosen, choose] = useState<string | null>(null)
  const month = chosen ?? months[0] ?? ''
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const get = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const entries = await asked(() => entriesSince(month))
      download(`statement ${month}.csv`, statementCsv(statementOf(entries, month), month), 'text/csv')
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="mt-10">
      <Part title="Statement">
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-[min(12rem,100%)] flex-1">
            <Select
              label="Month (UTC)"
              value={month}
              options={months.map((one) => [one, `${monthText(`${one}-01`)} ${one.slice(0, 4)}`] as const)}
              onChange={choose}
            />
          </div>
          <Button size="large" isBusy={isBusy} disabled={month === ''} onClick={() => void get()}>
            Download CSV
          </Button>
        </div>
        {failure !== null && (
          <div className="mt-3">
            <FailureNote title="The statement couldn't be created." error={failure} />
          </div>
        )}
      </Part>
    </div>
  )
}

/** Newest first, back to the last entry before the month. */
async function entriesSince(month: string): Promise<types.LedgerEntry[]> {
  const entries: types.LedgerEntry[] = []
  for await (const entry of client.portal.ledger({ limit: 200 })) {
    entries.push(entry)
    if (entry.createdAt.slice(0, 7) < month) break
  }
  return entries
}
