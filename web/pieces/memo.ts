import { Component, createElement, type FunctionComponent, type VNode } from "preact";

/** The same component, which is made anew only where one of its properties is another value. */
export function memo<Props extends object>(
  inner: FunctionComponent<Props>,
): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const keys = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof Props>; // keys of both
      return [...keys].some((key) => !Object.is(next[key], (this.props as Props)[key])); // read only
    }

    override render(props: Props): VNode {
      return createElement(inner, props) as VNode; // whose properties nobody reads
    }
  }
  return Memo as unknown as FunctionComponent<Props>; // both are made with the same properties
}
