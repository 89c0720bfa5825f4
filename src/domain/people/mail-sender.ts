export interface Mail {
  /** Passes a mail to the mail server. @throws if the server does not accept the mail */
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>
}
