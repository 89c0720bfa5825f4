/** How the portal of an application looks. */
export interface Brand {
  /** Null: the name of the application. */
  readonly productName: string | null
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string
  readonly supportEmail: string | null
  readonly supportUrl: string | null
  /** Where the application sells credit: refusals and the portal lead there. */
  readonly topUpUrl: string | null
  /** Where end users pay invoices. */
  readonly payUrl: string | null
  readonly logo: LogoFacts | null
}

/** A logo without its bytes. */
export interface LogoFacts {
  /** SHA-256 of the bytes, lower-case hex: its name in addresses. */
  readonly hash: string
  readonly mediaType: LogoType
  readonly widthPx: number
  readonly heightPx: number
}

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export type LogoType = (typeof logoTypes)[number]

/** A logo as browsers get it. */
export interface LogoFile {
  readonly mediaType: LogoType
  readonly bytes: Uint8Array
}

export const defaultBrand: Brand = {
  productName: null,
  primaryColor: '#1f2937',
  supportEmail: null,
  supportUrl: null,
  topUpUrl: null,
  payUrl: null,
  logo: null,
}

export interface Brands {
  /** `defaultBrand` for an application without one of its own. */
  of(applicationId: string): Promise<Brand>
  /** Replaces all but the logo. */
  put(applicationId: string, brand: Omit<Brand, 'logo'>): Promise<void>
  putLogo(applicationId: string, logo: LogoFacts, bytes: Uint8Array): Promise<void>
  removeLogo(applicationId: string): Promise<void>
  /** @param applicationId the application whose logo it must be; null: any */
  logo(hash: string, applicationId: string | null): Promise<LogoFile | null>
}
