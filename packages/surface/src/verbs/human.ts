/** Options of `f.human`. */
export interface HumanOptions {
  /** Who is asked: `slack:#channel`, `slack:@user`, `github:@user`, or a bare handle. Others are `human_to_invalid`. */
  to: string;
}
