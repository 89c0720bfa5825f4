import { useEffect, useState, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

function useCopied(text: string): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, () => void copyText(text).then((isDone) => setCopied(isDone))]
}

/** Pages without TLS, except on localhost, have no clipboard API. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const button = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    // Outside of an open dialog, no element can be selected.
    button?.parentElement?.append(area)
    area.select()
    const isDone = document.execCommand('copy')
    area.remove()
    if (button instanceof HTMLElement) button.focus()
    return isDone
  }
}

export function CopyButton({
  label,
  text,
  words,
}: {
  readonly text: string
  readonly label: string
  /** Omit to show only the icon. */
  readonly words?: string
}): ReactNode {
  const [isCopied, copy] = useCopied(text)
  const icon = isCopied ? <CheckIcon className="size-4 text-positive" /> : <CopyIcon />
  const said = (
    <span role="status" className="sr-only">
      {isCopied ? 'Copied' : ''}
    </span>
  )
  if (words === undefined) {
    return (
      <>
        <IconButton label={isCopied ? 'Copied' : label} onClick={copy}>
          {icon}
        </IconButton>
        {said}
      </>
    )
  }
  return (
    <>
      <Button onClick={copy} aria-label={isCopied ? undefined : label}>
        {icon}
        {isCopied ? 'Copied' : words}
      </Button>
      {said}
    </>
  )
}
