import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'

export function CodeBlock({
  className,
  label,
  shown,
  text,
}: {
  readonly text: string
  /** Replaces code that contains a secret, which users can only copy. */
  readonly shown?: string
  readonly label: string
  readonly className?: string
}): ReactNode {
  return (
    <div className={classNames('flex items-start rounded border border-line bg-surface-2', className)}>
      {/* The block scrolls, so a user must be able to focus it. */}
      <pre
        className="min-w-0 flex-1 overflow-x-auto p-3 text-13 leading-normal"
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <code>{shown ?? text}</code>
      </pre>
      <span className="m-1.5 ml-0 shrink-0">
        <CopyButton text={text} label={`Copy: ${label}`} />
      </span>
    </div>
  )
}
