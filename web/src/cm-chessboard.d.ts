// The part of cm-chessboard that is used here; the package has no types of its own.
declare module "cm-chessboard/src/Chessboard.js" {
  export const COLOR: { white: "w"; black: "b" };
  export const INPUT_EVENT_TYPE: {
    moveInputStarted: "moveInputStarted";
    movingOverSquare: "movingOverSquare";
    validateMoveInput: "validateMoveInput";
    moveInputCanceled: "moveInputCanceled";
    moveInputFinished: "moveInputFinished";
  };
  export interface MoveInputEvent {
    type: string;
    squareFrom: string;
    squareTo?: string;
    animate?: boolean;
  }
  export interface PromotionResult {
    type: "pieceSelected" | "canceled";
    piece?: string;
  }
  export class Chessboard {
    constructor(context: HTMLElement, props: object);
    view: {
      svg: SVGSVGElement;
      markersLayer: SVGGElement;
      markersTopLayer: SVGGElement;
      squareWidth: number;
      width: number;
      squareToPoint(square: string): { x: number; y: number };
    };
    setPosition(fen: string, animated?: boolean): Promise<void>;
    setOrientation(color: "w" | "b", animated?: boolean): Promise<void>;
    getOrientation(): "w" | "b";
    getPiece(square: string): string | null;
    enableMoveInput(handler: (event: MoveInputEvent) => boolean | void, color?: "w" | "b"): void;
    disableMoveInput(): void;
    isMoveInputEnabled(): boolean;
    cancelMoveInput(): void;
    showPromotionDialog(square: string, color: "w" | "b", callback: (result: PromotionResult) => void): void;
    destroy(): void;
  }
}

declare module "cm-chessboard/src/model/Extension.js" {
  export const EXTENSION_POINT: { afterRedrawBoard: string; boardChanged: string };
  export class Extension {
    constructor(chessboard: import("cm-chessboard/src/Chessboard.js").Chessboard);
    registerExtensionPoint(name: string, callback: () => void): void;
  }
}

declare module "cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js" {
  export const PromotionDialog: unknown;
}
