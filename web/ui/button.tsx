/** A button's text is a verb and an object, with an amount if money moves. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classNames } from './class-names.ts'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly size?: 'normal' | 'small' | 'large'
  readonly isBusy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

const kinds: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  plain: 'border border-edge bg-surface text-ink hover:bg-surface-2',
  quiet: 'text-ink-2 hover:bg-surface-2 hover:text-ink',
  danger: 'border border-negative text-negative hover:bg-negative-2',
}
const sizes = { small: 'h-7 px-2 text-13', normal: 'h-9 px-3 text-14', large: 'h-12 px-4 text-16' }

/** For a link that looks like a button. */
export function buttonClass(kind: ButtonKind = 'plain', size: keyof typeof sizes = 'normal'): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded font-medium whitespace-nowrap no-underline',
    'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
    kinds[kind],
    sizes[size],
  )
}

export function Button({
  children,
  className,
  disabled,
  isBusy = false,
  kind = 'plain',
  onClick,
  size = 'normal',
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      type={type === 'submit' ? 'submit' : 'button'}
      disabled={disabled}
      // A disabled button would lose the focus. Enter in a field clicks the form's button too.
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      {...(isBusy && { 'aria-busy': true, 'aria-disabled': true })}
      className={classNames(buttonClass(kind, size), className)}
    >
      {children}
      {isBusy && <span aria-hidden>…</span>}
    </button>
  )
}

/** `label` is the name and the tooltip. */
export function IconButton({
  children,
  className,
  label,
  ...rest
}: Omit<ButtonProps, 'kind' | 'size'> & { readonly label: string }): ReactNode {
  return (
    <button
      {...rest}
      type="button"
      aria-label={label}
      title={label}
      className={classNames(
        'inline-grid size-7 shrink-0 place-items-center rounded text-ink-2 hover:bg-surface-2 hover:text-ink',
        className,
      )}
    >
      {children}
    </button>
  )
}
