/** Each icon is next to a label, or in a button that has a name. */
import type { ReactNode } from 'react'

function icon(path: ReactNode) {
  return function Icon({ className = 'size-4' }: { readonly className?: string }): ReactNode {
    return (
      <svg
        viewBox="0 0 16 16"
        className={className}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
      >
        {path}
      </svg>
    )
  }
}

export const CloseIcon = icon(<path d="M4 4l8 8M12 4l-8 8" />)
export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </>,
)
export const CheckIcon = icon(<path d="M3 8.5l3.2 3.2L13 5" />)
export const DownIcon = icon(<path d="M4 6l4 4 4-4" />)
export const RightIcon = icon(<path d="M6 4l4 4-4 4" />)
export const MenuIcon = icon(<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />)
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.5" />
    <path d="M10.5 10.5l3 3" />
  </>,
)
export const MoreIcon = icon(
  <>
    <circle cx="3" cy="8" r=".75" fill="currentColor" />
    <circle cx="8" cy="8" r=".75" fill="currentColor" />
    <circle cx="13" cy="8" r=".75" fill="currentColor" />
  </>,
)
