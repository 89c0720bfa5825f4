import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { useChange } from '../../operations/use-operation.ts'
import { LimitsDialog } from '../../limits/limits-dialog.tsx'

export function UserLimitsDialog({
  onClose,
  user: { externalId, limits },
}: {
  readonly user: EndUser
  readonly onClose: () => void
}): ReactNode {
  const change = useChange('users.limit')
  return (
    <LimitsDialog
      title={
        <>
          Limits of <bdi>{externalId}</bdi>
        </>
      }
      about="Limits that apply to this end user across all keys and plans, in this mode."
      note="A spend limit for all models (per day, week or month, or in total) also counts spending before you save the limit. All other limits count only usage after you save them."
      limits={limits}
      save={(next) => change.mutateAsync({ externalId, limits: next })}
      operation="users.limit"
      inputOf={(next) => ({ externalId, limits: next })}
      onClose={onClose}
    />
  )
}
