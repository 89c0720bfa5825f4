import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/layout.tsx'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { LimitsDialog } from './limits-dialog.tsx'

/** Shows the limits of a key, a bundle or an application in words, and changes them. */
export function LimitsSection({
  empty,
  mayChange,
  ...dialog
}: Omit<Parameters<typeof LimitsDialog>[0], 'onClose'> & {
  readonly empty: string
  readonly mayChange: boolean
}): ReactNode {
  const [isEditing, setEditing] = useState(false)
  const { limits } = dialog
  return (
    <Section
      title="Limits"
      action={
        mayChange && (
          <Button size="small" onClick={() => setEditing(true)}>
            {limits.length === 0 ? 'Set limits' : 'Change limits'}
          </Button>
        )
      }
    >
      {limits.length === 0 ? (
        <p className="text-14 text-ink-2">{empty}</p>
      ) : (
        <ul className="flex flex-col gap-1 text-14">
          {limits.map((limit) => (
            <li key={limitText(limit)} data-limit={limit.measure}>
              {limitText(limit)}:{' '}
              <span className="figures font-medium">
                {limitAmountText(limit.measure, BigInt(limit.most))}
              </span>
            </li>
          ))}
        </ul>
      )}
      {isEditing && <LimitsDialog {...dialog} onClose={() => setEditing(false)} />}
    </Section>
  )
}
