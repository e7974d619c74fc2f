export class Refusal extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
    this.text = text;
  }
}
