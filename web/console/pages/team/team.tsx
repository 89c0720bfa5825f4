import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { MoreIcon } from '#web/ui/icons.tsx'
import { PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { IconButton } from '#web/ui/button.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Nothing, When } from '#web/ui/formatted-values.tsx'
import type { Member } from '#sdk/generated/types.ts'
import { useAct } from '../../open-form-in-url.ts'
import { useChange, useRows } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { aboutRole } from '../../sign-in/team-roles.ts'
import { useMay, useSession } from '../../sign-in/member-session.ts'
import { ChangeRole } from './change-role-dialog.tsx'
import { CreatedTokens } from './created-tokens.tsx'
import { Invite } from './invite-member-form.tsx'
import { FailedSignIns } from './failed-sign-ins.tsx'
import { PasskeyPolicy, RemovePasskeys } from './passkey-policy-and-removal.tsx'
import { Sessions } from './own-sessions.tsx'

export default function Team(): ReactNode {
  const rows = useRows('team.list', { limit: 200 })
  const isAdmin = useMay('admin')
  const isOwner = useMay('owner')
  const [recovering, setRecovering] = useState<Member | null>(null)
  const { member: self } = useSession()
  const [isInviting, invite, endInvite] = useAct()
  const [changing, setChanging] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const [isRevoked, setRevoked] = useState(false)
  const remove = useChange('team.rm')

  const columns: readonly Column<Member>[] = [
    {
      id: 'name',
      head: 'Name',
      cell: ({ email, name }) => <bdi title={email}>{name ?? email}</bdi>,
    },
    { id: 'email', head: 'Email address', cell: ({ email }) => <bdi title={email}>{email}</bdi> },
    { id: 'role', head: 'Role', cell: ({ role }) => <span title={aboutRole(role)}>{role}</span> },
    { id: 'state', head: 'Status', cell: (one) => <Joined member={one} /> },
    {
      id: 'sign-in',
      head: 'Sign-in method',
      cell: ({ hasPassword, joinedAt }) =>
        joinedAt === null ? (
          <Nothing reason="has not joined" />
        ) : hasPassword ? (
          'password'
        ) : (
          'identity provider'
        ),
    },
    {
      id: 'acts',
      head: 'Actions',
      isHeadHidden: true,
      width: '2.5rem',
      cell: (one) =>
        isAdmin && (
          <Menu
            trigger={
              <IconButton label={`Actions for ${one.email}`}>
                <MoreIcon />
              </IconButton>
            }
            entries={[
              { words: 'Change role', onSelect: () => setChanging(one) },
              ...(isOwner ? [{ words: 'Remove passkeys', onSelect: () => setRecovering(one) }] : []),
              null,
              { words: 'Remove from team', isDanger: true, onSelect: () => setRemoving(one) },
            ]}
          />
        ),
    },
  ]
  return (
    <>
      <PageHead
        title="Team"
        about="Members of your organization and their roles."
        action={
          <>
            <CopyAs operation="team.list" />
            <Button
              kind="primary"
              onClick={invite}
              disabled={!isAdmin}
              title={isAdmin ? undefined : 'Inviting members requires the admin role.'}
            >
              Invite member
            </Button>
          </>
        }
      />
      <Section title="Members">
        <DataTable
          label="Members"
          name="team"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          empty={
            <Empty
              title="No members yet"
              action={<Button onClick={invite}>Invite member</Button>}
              command={
                <CommandLine
                  operation="team.invite"
                  input={{ email: 'grace@example.com', role: 'developer' }}
                />
              }
            >
              Members sign in here. The role of a member determines what the member can do.
            </Empty>
          }
        />
      </Section>
      <FailedSignIns members={rows.rows ?? []} />
      {/* Wait for the table above, to avoid layout shift. */}
      {(rows.rows !== undefined || rows.error !== undefined) && (
        <>
          <PasskeyPolicy />
          <Sessions />
        </>
      )}
      {recovering && <RemovePasskeys member={recovering} onClose={() => setRecovering(null)} />}
      {isInviting && <Invite onClose={endInvite} />}
      {changing && <ChangeRole member={changing} onClose={() => setChanging(null)} />}
      {removing && (
        <Confirm
          isOpen
          onClose={() => {
            setRemoving(null)
            setRevoked(false)
          }}
          title={
            <>
              Remove <bdi>{removing.email}</bdi> from the team?
            </>
          }
          action={
            <>
              Remove <bdi>{removing.email}</bdi>
            </>
          }
          onConfirm={async () => {
            const { validTokens } = await remove.mutateAsync({
              email: removing.email,
              ...(isRevoked && { revokeTokens: true }),
            })
            toast(`Removed ${removing.email} from the team.${keptWords(validTokens.length)}`)
          }}
        >
          <p>
            The member's sessions and device tokens end immediately. Their past actions remain in the audit
            log.
          </p>
          <CreatedTokens memberId={removing.id} above={null} isRevoked={isRevoked} onChange={setRevoked} />
          {removing.id === self.id && (
            <p className="font-medium text-ink">This is your own account. You will be signed out.</p>
          )}
        </Confirm>
      )}
    </>
  )
}

function keptWords(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? ' 1 token created by this member remains valid.'
    : ` ${count} tokens created by this member remain valid.`
}

function Joined({ member: { inviteExpiresAt, joinedAt } }: { readonly member: Member }): ReactNode {
  if (joinedAt !== null) return <State tone="positive" words="joined" title={joinedAt} />
  if (inviteExpiresAt === null) return <State tone="neutral" words="not joined" />
  return (
    <span className="inline-flex items-center gap-2">
      <State tone="held" words="invited" />
      <span className="text-ink-3">
        expires <When at={inviteExpiresAt} />
      </span>
    </span>
  )
}
