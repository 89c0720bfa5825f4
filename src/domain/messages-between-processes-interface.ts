/** The port for short messages from one process of a server to all processes of the server, including the sender. */
export interface Notices {
  /**
   * The promise resolves when the text was sent, or could not be sent. The promise never rejects. @param text less than
   * 8,000 bytes of ASCII
   */
  send(text: string): Promise<void>
  listen(listener: NoticeListener): void
  close(): Promise<void>
}

export interface NoticeListener {
  onNotice(text: string): void
  /**
   * Called when this process may have missed notices from other processes, or may have failed to send its own notices.
   */
  onLost(): void
}
