import type { ReactNode } from 'react'

/** Text between backticks is rendered as code. */
export function WithCode({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- a part is identified by its position
      <code key={at} className="text-[0.93em] wrap-anywhere">
        {part}
      </code>
    ),
  )
}
