/** Where people are signed in, to be ended one by one. */
import { useState, type ReactNode } from 'react'
import type { Session } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Section } from '#web/ui/layout.tsx'
import { Empty } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/values.tsx'
import { useChange, useRows } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'

export function Sessions(): ReactNode {
  const rows = useRows('sessions.list', { limit: 200 })
  const end = useChange('sessions.end')
  const [ending, setEnding] = useState<Session | null>(null)
  const columns: readonly Column<Session>[] = [
    {
      id: 'browser',
      head: 'Browser',
      cell: ({ isCurrent, userAgent }) => (
        <bdi title={userAgent}>
          {browserOf(userAgent)}
          {isCurrent && <span className="text-ink-3"> (this one)</span>}
        </bdi>
      ),
    },
    { id: 'address', head: 'Address', cell: ({ address }) => <bdi>{address}</bdi> },
    { id: 'signed-in', head: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} /> },
    { id: 'used', head: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { id: 'expires', head: 'Ends', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    {
      id: 'acts',
      head: 'Actions',
      isHeadHidden: true,
      cell: (one) =>
        !one.isCurrent && (
          <Button size="small" kind="quiet" onClick={() => setEnding(one)}>
            End it
          </Button>
        ),
    },
  ]
  return (
    <Section
      title="Your sessions"
      about="Browsers in which you are signed in. One that you do not know is ended here; then change your password."
      action={<CopyAs operation="sessions.list" />}
    >
      <DataTable
        label="Your sessions"
        name="sessions"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={<Empty title="No other session is open" />}
      />
      {ending && (
        <Confirm
          isOpen
          onClose={() => setEnding(null)}
          title="End this session?"
          action="End the session"
          onConfirm={async () => {
            await end.mutateAsync({ id: ending.id })
            toast('The session has ended.')
          }}
        >
          <p>
            {browserOf(ending.userAgent)} at <bdi>{ending.address}</bdi> is signed out with its next request.
          </p>
        </Confirm>
      )}
    </Section>
  )
}

/** The program and the system, as far as a person cares. */
function browserOf(userAgent: string): string {
  const program = /(Edg|OPR|Firefox|Chrome|Version(?=.*Safari))\/(\d+)/.exec(userAgent)
  const system = /\((?:[^;)]*; )?(?:[^;)]*; )?([^;)]+)/.exec(userAgent)?.[1]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', Version: 'Safari' }
  if (!program) return userAgent.slice(0, 40) || 'a program without a name'
  const [, name = '', version] = program
  return `${names[name] ?? name} ${version}${system === undefined ? '' : `, ${system}`}`
}
