import { useState, type ReactNode } from 'react'
import type { Session } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { TextField, useForm } from '#web/ui/form.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange, useRows } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { useSession } from '../../sign-in/member-session.ts'

export function Sessions(): ReactNode {
  const rows = useRows('sessions.list', { limit: 200 })
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
    { id: 'expires', head: 'Expires', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    {
      id: 'acts',
      head: 'Actions',
      isHeadHidden: true,
      cell: (one) =>
        !one.isCurrent && (
          <Button size="small" kind="quiet" onClick={() => setEnding(one)}>
            End session
          </Button>
        ),
    },
  ]
  return (
    <Section
      title="Your sessions"
      about="Browsers in which you are signed in. If you don't recognize a session, end the session and change your password."
      action={<CopyAs operation="sessions.list" />}
    >
      <DataTable
        label="Your sessions"
        name="sessions"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={<Empty title="No other sessions" />}
      />
      {ending && <EndSession session={ending} onClose={() => setEnding(null)} />}
    </Section>
  )
}

/** Requires the password. Otherwise, anyone who finds a signed-in browser could end the member's other sessions. */
function EndSession({
  onClose,
  session,
}: {
  readonly session: Session
  readonly onClose: () => void
}): ReactNode {
  const end = useChange('sessions.end')
  const { member } = useSession()
  const form = useForm({
    draft: null,
    initial: { password: '' },
    check: ({ password }) =>
      member.hasPassword && password === '' ? { password: 'Enter your password.' } : {},
    async send({ password }) {
      await end.mutateAsync({ id: session.id, ...(member.hasPassword && { password }) })
      toast('Session ended.')
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="End this session?"
      about={
        <>
          {browserOf(session.userAgent)} at <bdi>{session.address}</bdi> will be signed out with its next
          request.
        </>
      }
      form={form}
      action="End session"
    >
      {/* Password managers recognize the account by this field. */}
      <input type="hidden" name="username" autoComplete="username" value={member.email} readOnly />
      {member.hasPassword && (
        <TextField
          form={form}
          name="password"
          label="Your password"
          type="password"
          autoComplete="current-password"
        />
      )}
    </FormDialog>
  )
}

function browserOf(userAgent: string): string {
  const program = /(Edg|OPR|Firefox|Chrome|Version(?=.*Safari))\/(\d+)/.exec(userAgent)
  const system = /\((?:[^;)]*; )?(?:[^;)]*; )?([^;)]+)/.exec(userAgent)?.[1]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', Version: 'Safari' }
  if (!program) return userAgent.slice(0, 40) || 'unknown program'
  const [, name = '', version] = program
  return `${names[name] ?? name} ${version}${system === undefined ? '' : `, ${system}`}`
}
