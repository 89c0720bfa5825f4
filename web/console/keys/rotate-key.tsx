/** Replaces a key, and shows the new secret once. */
import { useState, type ReactNode } from 'react'
import type { ApiKeySummary, RotatedKey } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { graces } from '#web/ui/graces.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { When } from '#web/ui/values.tsx'
import { useChange } from '../calls.ts'
import { CopyAs } from '../copy-as.tsx'
import { KeySecret } from './key-secret.tsx'

export function RotateKey({
  of: key,
  onClose,
}: {
  readonly of: ApiKeySummary
  readonly onClose: () => void
}): ReactNode {
  const rotate = useChange('keys.rotate', { touches: ['users', 'apps'] })
  const [rotated, setRotated] = useState<RotatedKey | null>(null)
  const inputOf = ({ grace }: { readonly grace: string }) => ({ id: key.id, graceSeconds: Number(grace) })
  const form = useForm({
    draft: null,
    initial: { grace: graces[1][0] },
    fieldOf: { graceSeconds: 'grace' },
    async send(values) {
      setRotated(await rotate.mutateAsync(inputOf(values)))
    },
  })
  if (rotated) {
    return (
      <KeySecret
        minted={rotated}
        endUserId={key.endUserId ?? rotated.endUserId}
        about={
          <>
            The old key, …{key.lastFour}, ends <When at={rotated.replacedEndsAt} />.
          </>
        }
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={
        <>
          Rotate <bdi>{key.name}</bdi>
        </>
      }
      about="A new key replaces this one, with the same name, cap and expiry. The cap continues: what this key spent in the period counts for the new key. The secret is shown once, right after."
    >
      <FormBody form={form} action="Rotate the key" busyAction="Rotating" onCancel={onClose}>
        <SelectField
          form={form}
          name="grace"
          label="The old key"
          help="Until it ends both are served. Calls that run when it ends go on."
          options={graces}
        />
        <div>
          <CopyAs operation="keys.rotate" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}
