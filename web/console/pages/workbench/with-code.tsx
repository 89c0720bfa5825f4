import type { ReactNode } from 'react'

/** A sentence of the reference, where code stands between backticks. */
export function WithCode({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- a part is its place
      <code key={at} className="text-[0.93em] wrap-anywhere">
        {part}
      </code>
    ),
  )
}
