/** Overlays of one kind are never stacked, except dialogs with `isAbove`. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { Menu as BaseMenu } from '@base-ui/react/menu'
import { useRef, useState, type ReactElement, type ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { Collected, useExtras, type Extra } from './extras-collected-in-sheet.tsx'
import { firstFieldOf, isSending } from './focus-first-field.ts'
import { useHold } from './hold-page.ts'
import { CloseIcon } from './icons.tsx'

interface OverlayProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly children: ReactNode
  /** A click outside must not hide a value that is shown once, so only buttons in the overlay close it. */
  readonly isFirm?: boolean
}

/** Input in a dialog above all other overlays must not close the overlays below. */
function isCovered(): boolean {
  return document.querySelector('[data-above]') !== null
}

/** Without a form, returns the first control. */
function firstField(popup: HTMLElement | null): HTMLElement | true {
  return (
    popup?.querySelector<HTMLElement>('[data-first-focus]') ??
    firstFieldOf(popup?.querySelector('form')) ??
    true
  )
}

const backdrop = 'appears fixed inset-0 z-40 bg-[rgb(0_0_0/0.3)]'

export function Dialog({
  about,
  children,
  isAbove = false,
  isFirm = false,
  isOpen,
  onClose,
  title,
}: OverlayProps & {
  /** Other dialogs and sheets remain open below. */
  readonly isAbove?: boolean
}): ReactNode {
  const popup = useRef<HTMLDivElement>(null)
  const opener = useRef<Element>(null)
  useHold(isFirm && isOpen)
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={isFirm}
      onOpenChange={(open, details) => {
        if (open || (!isAbove && isCovered())) return
        if ((isFirm && details.reason === 'escape-key') || isSending(popup.current)) return
        // The second click of a double click on the button that opened the dialog.
        if (
          details.reason === 'outside-press' &&
          details.event instanceof UIEvent &&
          details.event.detail > 1
        )
          return
        onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={classNames(backdrop, isAbove && 'z-70')} />
        <Base.Popup
          ref={popup}
          initialFocus={(by) => {
            opener.current = document.activeElement
            return by === 'touch' || firstField(popup.current)
          }}
          // A change often removes the button that opened its dialog. The focus must not move behind the sheet below.
          finalFocus={() =>
            opener.current?.isConnected === true ||
            document.querySelector<HTMLElement>('[data-sheet][data-open]') ||
            true
          }
          {...(isAbove && { 'data-above': true })}
          {...(isFirm && { 'data-firm': true })}
          className={classNames(
            isAbove ? 'z-70' : 'z-50',
            'appears fixed top-1/2 left-1/2 flex max-h-[90dvh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2',
            'flex-col overflow-y-auto rounded bg-surface p-6 scroll-pb-20 shadow-float [--below-content:-1.5rem]',
          )}
        >
          <Head title={title} about={about} isFirm={isFirm} />
          <Collected by={null}>{children}</Collected>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The keys j and k call `onStep` for the next or the previous row. */
export function Sheet({
  about,
  children,
  firstFocus,
  isOpen,
  onClose,
  onStep,
  title,
}: Omit<OverlayProps, 'isFirm'> & {
  readonly onStep?: ((by: 1 | -1) => void) | undefined
  /** Omit to focus the first field or the first control. */
  readonly firstFocus?: () => HTMLElement | null
}): ReactNode {
  const popup = useRef<HTMLDivElement>(null)
  const [extras, registry] = useExtras()
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => !open && !isCovered() && !isSending(popup.current) && onClose()}
      modal="trap-focus"
      disablePointerDismissal
    >
      <Base.Portal>
        <Base.Popup
          ref={popup}
          data-sheet
          {...(onStep && { 'data-steps': true })}
          initialFocus={
            firstFocus ?? ((by) => by === 'touch' || onStep !== undefined || firstField(popup.current))
          }
          onKeyDown={(event) => {
            const isTyping =
              event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
            if (isTyping || !onStep || event.metaKey || event.ctrlKey || isSending(popup.current)) return
            if (event.key === 'j') onStep(1)
            if (event.key === 'k') onStep(-1)
          }}
          className={classNames(
            'appears fixed inset-y-0 right-0 z-50 flex w-[min(44rem,100vw)] flex-col overflow-y-auto bg-surface p-6 pb-24 scroll-pb-20 shadow-float [--below-content:-6rem]',
            'data-starting-style:translate-x-4 data-ending-style:translate-x-4',
          )}
        >
          <Head title={title} about={about} isFirm={false} />
          <Collected by={registry}>{children}</Collected>
          {extras.length > 0 && <AsCode extras={extras} />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function AsCode({ extras }: { readonly extras: readonly Extra[] }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState('')
  const names = [...new Set(extras.map(({ name }) => name))]
  const name = names.includes(chosen) ? chosen : (names[0] ?? '')
  return (
    <div className="mt-6 border-t border-line pt-3">
      <Button size="small" kind="quiet" onClick={() => setOpen(true)}>
        As code
      </Button>
      {isOpen && (
        <Dialog
          isOpen
          onClose={() => setOpen(false)}
          title="As code"
          about="Run these requests from the command line or with an SDK."
        >
          <div className="flex flex-col gap-4">
            {names.length > 1 && (
              <select
                aria-label="Operation"
                className="h-9 w-full rounded border border-edge bg-surface px-2 text-14 text-ink"
                value={name}
                onChange={(event) => setChosen(event.target.value)}
              >
                {names.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
            {extras.find((extra) => extra.name === name)?.content}
          </div>
        </Dialog>
      )}
    </div>
  )
}

function Head({
  about,
  isFirm,
  title,
}: {
  readonly title: ReactNode
  readonly about: ReactNode
  readonly isFirm: boolean
}): ReactNode {
  return (
    <div className="mb-4 flex items-start gap-4">
      <div className="min-w-0 flex-1">
        <Base.Title className="text-20 font-semibold wrap-anywhere">{title}</Base.Title>
        {about !== undefined && (
          <Base.Description className="mt-1 text-14 text-ink-2">{about}</Base.Description>
        )}
      </div>
      {!isFirm && (
        <Base.Close
          render={
            <IconButton label="Close" data-close>
              {<CloseIcon />}
            </IconButton>
          }
        />
      )}
    </div>
  )
}

export interface MenuEntry {
  readonly words: string
  /** Omit the function if `render` is a link. */
  readonly onSelect?: () => void
  readonly render?: ReactElement
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  readonly isChosen?: boolean
}

/** A null in the list is a separator. */
export function Menu({
  entries,
  trigger,
}: {
  readonly trigger: ReactElement
  readonly entries: readonly (MenuEntry | null)[]
}): ReactNode {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-50">
          <BaseMenu.Popup className="appears max-h-[min(28rem,var(--available-height))] max-w-[min(28rem,calc(100vw-2rem))] min-w-44 overflow-y-auto rounded bg-surface py-1 shadow-float outline-none">
            {entries.map((entry, at) =>
              entry === null ? (
                // oxlint-disable-next-line react/no-array-index-key -- separators have no other key
                <BaseMenu.Separator key={`line ${at}`} className="my-1 border-t border-line" />
              ) : (
                <BaseMenu.Item
                  // oxlint-disable-next-line react/no-array-index-key -- several entries may have the same words
                  key={`${at} ${entry.words}`}
                  {...(entry.render && { render: entry.render })}
                  disabled={entry.isDisabled ?? false}
                  onClick={() => entry.onSelect?.()}
                  className={classNames(
                    'flex min-h-8 cursor-default items-center gap-2 px-3 py-1 text-14 outline-none data-disabled:opacity-50 data-highlighted:bg-surface-3',
                    entry.isDanger === true ? 'text-negative' : 'text-ink',
                  )}
                >
                  <span className="min-w-0 flex-1 wrap-anywhere">{entry.words}</span>
                  {entry.isChosen === true && <span aria-label="selected">✓</span>}
                </BaseMenu.Item>
              ),
            )}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
