import { useState, type ReactNode } from 'react'
import type { EndUserTeam } from '#sdk/generated/types.ts'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import { labelFault } from '../../help-and-errors-of-fields.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { useUserSuggestions } from '../../end-user-suggestions.ts'

export function CreateTeam({ onClose }: { readonly onClose: () => void }): ReactNode {
  const add = useChange('teams.add')
  const inputOf = (values: { slug: string; displayName: string; payer: string }) => ({
    slug: values.slug.trim(),
    displayName: values.displayName.trim(),
    payer: values.payer.trim(),
  })
  const form = useForm({
    draft: 'new team',
    initial: { slug: '', displayName: '', payer: '' },
    check({ displayName, payer, slug }) {
      const fault = labelFault(slug.trim())
      return {
        ...(fault !== undefined && { slug: fault }),
        ...(displayName.trim() === '' && { displayName: 'Enter a display name.' }),
        ...(payer.trim() === '' && { payer: 'Enter the ID of an end user.' }),
      }
    },
    ifExists: { name: 'slug', fault: 'A team with this slug already exists. Enter another slug.' },
    async send(values) {
      const { displayName } = await add.mutateAsync({ ...inputOf(values), isNew: true })
      toast(`${displayName} created.`)
      onClose()
    },
  })
  const suggestions = useUserSuggestions(form.values.payer.trim())
  return (
    <FormDialog
      onClose={onClose}
      title="Create team"
      about="Members spend from the wallet of the payer, after their own pools and before their own wallet."
      form={form}
      action="Create team"
      busyAction="Creating"
      operation="teams.add"
      input={inputOf(form.values)}
    >
      <TextField
        form={form}
        name="slug"
        label="Slug"
        help="Identifies the team. For example: labs. The slug can't be changed later."
        maxLength={63}
      />
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        help="Members see this name in the portal."
        maxLength={128}
      />
      <TextField
        form={form}
        name="payer"
        label="Payer"
        help="Your ID for the end user whose wallet pays. The payer can't be changed."
        suggestions={suggestions}
        maxLength={256}
      />
    </FormDialog>
  )
}

export function RenameTeam({
  onDone,
  onReload,
  team,
}: {
  readonly team: Revised<EndUserTeam>
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  // If the team has changed since the form was opened, saving is rejected.
  const [{ ifMatch, value }] = useState(team)
  const { displayName, slug } = value
  const add = useChange('teams.add')
  const form = useForm({
    draft: null,
    initial: { displayName },
    check: (values) => (values.displayName.trim() === '' ? { displayName: 'Enter a display name.' } : {}),
    async send(values) {
      await add.mutateAsync({ slug, displayName: values.displayName.trim(), ...ifMatch })
      toast('Team renamed.')
      onDone()
    },
  })
  return (
    <FormBody form={form} action="Rename team" busyAction="Renaming" onCancel={onDone}>
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        help="Members see this name in the portal."
        maxLength={128}
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="teams.add" input={{ slug, displayName: form.values.displayName.trim() }} />
      </div>
    </FormBody>
  )
}
