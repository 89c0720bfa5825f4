/**
 * A toast is never the only report of an error. Toasts are on the left, because sheets have their buttons on the right.
 * On a phone, sheets leave room for toasts below their last button.
 */
import { Toast as Base } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

const manager = Base.createToastManager()

export function toast(words: string, undo?: { readonly words: string; readonly run: () => void }): void {
  manager.add({ title: words, timeout: undo ? 10_000 : 5_000, data: undo })
}

export function Toasts(): ReactNode {
  return (
    <Base.Provider toastManager={manager}>
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 z-60 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 tablet:right-auto tablet:left-60 print:hidden">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function List(): ReactNode {
  const { close, toasts } = Base.useToastManager<{ words: string; run: () => void }>()
  return toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      className="appears flex items-center gap-3 rounded bg-ink p-3 text-14 text-surface shadow-float"
    >
      <Base.Title className="min-w-0 flex-1 font-normal wrap-anywhere" />
      {one.data && (
        <Button
          size="small"
          onClick={() => {
            // The button is still visible while the toast fades out.
            if (one.transitionStatus !== 'ending') one.data?.run()
            close(one.id)
          }}
        >
          {one.data.words}
        </Button>
      )}
      <Base.Close
        render={
          <IconButton label="Close" className="text-surface">
            {<CloseIcon />}
          </IconButton>
        }
      />
    </Base.Root>
  ))
}
