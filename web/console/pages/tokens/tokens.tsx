import { useState, type ReactNode } from 'react'
import type { Token } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { SecretDialog } from '#web/ui/secret-dialog.tsx'
import { Empty, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Nothing, When } from '#web/ui/formatted-values.tsx'
import { useAct } from '../../open-form-in-url.ts'
import { useChange, useRows, type AnswerOf } from '../../operations/use-operation.ts'
import { CommandLine, CopyAs } from '../../copy-as-code.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { aboutRole } from '../../sign-in/team-roles.ts'
import { useMay, useSession } from '../../sign-in/member-session.ts'
import { isTokenValid } from '../../is-token-valid.ts'
import { CreateToken } from './create-token-form.tsx'

export default function Tokens(): ReactNode {
  const rows = useRows('tokens.list', { limit: 200 })
  const [open] = useSearchText('open')
  const [isCreating, create, endCreate] = useAct()
  const [made, setMade] = useState<AnswerOf<'tokens.create'> | null>(null)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const isDeveloper = useMay('developer')
  const isAdmin = useMay('admin')
  const { member } = useSession()
  const revoke = useChange('tokens.revoke')
  const columns: readonly Column<Token>[] = [
    { id: 'label', head: 'Label', cell: ({ label }) => <bdi title={label}>{label}</bdi> },
    {
      id: 'token',
      head: 'Token',
      cell: ({ lastFour, prefix }) => (
        <code className="text-13">
          {prefix}…{lastFour}
        </code>
      ),
    },
    { id: 'role', head: 'Role', cell: ({ role }) => <span title={aboutRole(role)}>{role}</span> },
    {
      id: 'for',
      head: 'Owner',
      cell: ({ memberId }) =>
        memberId === null ? 'organization' : memberId === member.id ? 'your device' : "a member's device",
    },
    {
      id: 'creator',
      head: 'Created by',
      cell: ({ createdBy }) =>
        createdBy === null ? (
          <Nothing reason="Created by the operator, or by an older server version" />
        ) : (
          <bdi title={createdBy.id}>
            {createdBy.type === 'token' ? `the token ${createdBy.label}` : createdBy.label}
          </bdi>
        ),
    },
    { id: 'used', head: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} reason="never used" /> },
    { id: 'made', head: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
    { id: 'expires', head: 'Expires', cell: ({ expiresAt }) => <When at={expiresAt} reason="never" /> },
    { id: 'state', head: 'Status', cell: (token) => <TokenState token={token} /> },
    {
      id: 'acts',
      head: 'Actions',
      isHeadHidden: true,
      cell: (one) =>
        isTokenValid(one) &&
        (isAdmin || one.memberId === member.id) && (
          <Button size="small" kind="quiet" onClick={() => setRevoking(one)}>
            Revoke
          </Button>
        ),
    },
  ]
  return (
    <>
      <PageHead
        title="Tokens"
        about="Programs use sk_ tokens to call the control plane. The command line also uses a token after you sign in. The role of a token determines what the token can do."
        action={
          <>
            <CopyAs operation="tokens.list" />
            <Button kind="primary" disabled={!isDeveloper} onClick={create}>
              Create token
            </Button>
          </>
        }
      />
      <DataTable
        label="Tokens"
        name="tokens"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        isChosen={({ id }) => id === open}
        empty={
          <Empty
            title="No tokens yet"
            action={<Button onClick={create}>Create token</Button>}
            command={<CommandLine operation="tokens.create" input={{ label: 'deploy' }} />}
          >
            Tokens appear here after you create one for a program, or sign in with the command line.
          </Empty>
        }
      />
      {isCreating && (
        <CreateToken
          onClose={endCreate}
          onMade={(token) => {
            endCreate()
            setMade(token)
          }}
        />
      )}
      {made && (
        <SecretDialog
          title={
            <>
              Save your token <bdi>{made.label}</bdi>
            </>
          }
          about={`The token has the role ${made.role}. Programs send the token as Authorization: Bearer.`}
          secret={made.token}
          fileName=".env"
          fileText={`TOLLGATE_BASE_URL=${location.origin}\nTOLLGATE_TOKEN=${made.token}\n`}
          onClose={() => setMade(null)}
        />
      )}
      {revoking && (
        <Confirm
          isOpen
          onClose={() => setRevoking(null)}
          title={
            <>
              Revoke token <bdi>{revoking.label}</bdi>?
            </>
          }
          action={
            <>
              Revoke <bdi>{revoking.label}</bdi>
            </>
          }
          onConfirm={async () => {
            await revoke.mutateAsync({ id: revoking.id })
            toast(`Revoked the token ${revoking.label}.`)
          }}
        >
          <p>
            New requests with this token will fail immediately. Past changes are kept. This can't be undone.
            Last used: <When at={revoking.lastUsedAt} reason="never" />.
          </p>
        </Confirm>
      )}
    </>
  )
}

function TokenState({ token }: { readonly token: Token }): ReactNode {
  if (isTokenValid(token)) return <State tone="positive" words="valid" />
  const { expiresAt, revokedAt } = token
  return revokedAt === null ? (
    <State tone="neutral" words="expired" title={expiresAt ?? ''} />
  ) : (
    <State tone="neutral" words="revoked" title={revokedAt} />
  )
}
