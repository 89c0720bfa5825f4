import { useState, type ReactNode } from 'react'
import type { ApiKeySummary, RotatedKey } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { gracePeriods } from '#web/ui/key-rotation-grace-periods.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { useChange } from '../operations/use-operation.ts'
import { FormDialog } from '../form-dialog.tsx'
import { KeySecret } from './key-secret-shown-once.tsx'

export function RotateKey({
  of: key,
  onClose,
}: {
  readonly of: ApiKeySummary
  readonly onClose: () => void
}): ReactNode {
  const rotate = useChange('keys.rotate')
  const [rotated, setRotated] = useState<RotatedKey | null>(null)
  const inputOf = ({ grace }: { readonly grace: string }) => ({ id: key.id, graceSeconds: Number(grace) })
  const form = useForm({
    draft: null,
    initial: { grace: gracePeriods[1][0] },
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
            The old key, …{key.lastFour}, expires <When at={rotated.replacedEndsAt} />.
          </>
        }
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Rotate <bdi>{key.name}</bdi>
        </>
      }
      about="Replaces this key with a new key that has the same name, cap and expiry. Spending of this key in the current period counts against the new key's cap. The new secret is shown once."
      form={form}
      action="Rotate key"
      busyAction="Rotating"
      operation="keys.rotate"
      input={inputOf(form.values)}
    >
      <SelectField
        form={form}
        name="grace"
        label="Old key"
        help="Both keys work until the old key expires. Requests in flight are not affected."
        options={gracePeriods}
      />
    </FormDialog>
  )
}
