import { useState, type ReactNode } from 'react'
import type { Passkey } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { TextField, useForm } from '#web/ui/form.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { arePasskeysKnown, makePasskey } from '../../sign-in/use-browser-passkeys.ts'
import { useChange, useRows } from '../../operations/use-operation.ts'
import { api } from '../../api-client.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useSession } from '../../sign-in/member-session.ts'

export function PasskeysPart(): ReactNode {
  const rows = useRows('passkeys.list', { limit: 20 })
  const [isAdding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<Passkey | null>(null)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const remove = useChange('passkeys.rm')
  const columns: readonly Column<Passkey>[] = [
    { id: 'name', head: 'Name', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    { id: 'created', head: 'Registered', cell: ({ createdAt }) => <When at={createdAt} /> },
    { id: 'used', head: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} reason="never used" /> },
    {
      id: 'acts',
      head: 'Actions',
      isHeadHidden: true,
      cell: (one) => (
        <span className="flex gap-1">
          <Button size="small" kind="quiet" onClick={() => setRenaming(one)}>
            Rename
          </Button>
          <Button size="small" kind="quiet" onClick={() => setRemoving(one)}>
            Remove
          </Button>
        </span>
      ),
    },
  ]
  return (
    <Section
      title="Passkeys"
      about="A passkey signs you in with this device, a phone or a security key. After you add a passkey, your password alone is no longer enough."
      action={
        <>
          <CopyAs operation="passkeys.list" />
          <Button
            disabled={!arePasskeysKnown}
            title={arePasskeysKnown ? undefined : 'This browser does not support passkeys.'}
            onClick={() => setAdding(true)}
          >
            Add passkey
          </Button>
        </>
      }
    >
      <DataTable
        label="Passkeys"
        name="passkeys"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No passkeys yet">
            Add two passkeys, so that you can still sign in if you lose one of them.
          </Empty>
        }
      />
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      {renaming && <RenamePasskey passkey={renaming} onClose={() => setRenaming(null)} />}
      {removing && (
        <Confirm
          isOpen
          onClose={() => setRemoving(null)}
          title={
            <>
              Remove passkey <bdi>{removing.name}</bdi>?
            </>
          }
          action="Remove passkey"
          onConfirm={async () => {
            await remove.mutateAsync({ id: removing.id })
            toast(`Removed the passkey ${removing.name}.`)
          }}
        >
          <p>You can no longer sign in with this passkey. Your open sessions continue.</p>
        </Confirm>
      )}
    </Section>
  )
}

function AddPasskey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const add = useChange('passkeys.add')
  const { member } = useSession()
  const form = useForm({
    draft: null,
    initial: { name: '' },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name, such as Laptop.' } : {}),
    async send({ name }) {
      const credential = await makePasskey(await api.passkeys.start(), member.email)
      await add.mutateAsync({ name: name.trim(), credential })
      toast('Passkey added.')
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Add passkey"
      about="Your browser asks for the passkey in the next step."
      form={form}
      action="Add passkey"
      busyAction="Waiting for the passkey"
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        help="Choose a name that you will recognize."
        maxLength={64}
      />
    </FormDialog>
  )
}

function RenamePasskey({
  onClose,
  passkey: { id, name: before },
}: {
  readonly passkey: Passkey
  readonly onClose: () => void
}): ReactNode {
  const rename = useChange('passkeys.rename')
  const form = useForm({
    draft: null,
    initial: { name: before },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name, such as Laptop.' } : {}),
    async send({ name }) {
      await rename.mutateAsync({ id, name: name.trim() })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Rename passkey"
      form={form}
      action="Rename passkey"
      isDisabled={!form.isChanged}
    >
      <TextField form={form} name="name" label="Name" maxLength={64} />
    </FormDialog>
  )
}
