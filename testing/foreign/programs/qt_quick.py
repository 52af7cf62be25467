"""Qt Quick's scene graph on Vulkan, in a window of Xvfb: a gradient in a rounded shape, and text."""

import os
import pathlib
import sys

import display

QML = """
import QtQuick
Rectangle {
    width: 320; height: 240; color: "#203040"
    Rectangle {
        x: 20; y: 60; width: 120; height: 120; radius: 30; antialiasing: true
        gradient: Gradient { GradientStop { position: 0; color: "red" } GradientStop { position: 1; color: "yellow" } }
    }
    Rectangle { x: 160; y: 60; width: 140; height: 120; color: "white"
        Text { anchors.centerIn: parent; text: "Quick"; color: "black"; font.pixelSize: 40 } }
}
"""
os.environ.update(QSG_RHI_BACKEND="vulkan", QT_QPA_PLATFORM="xcb")


def look(image):
    at = lambda x, y: image.pixelColor(x, y).getRgb()[:3]  # noqa: E731
    assert at(5, 5) == (32, 48, 64), f"the background is {at(5, 5)}"
    top, bottom = at(80, 70), at(80, 170)
    assert top[0] > 240 and bottom[0] > 240 and bottom[1] > top[1] + 150, f"the gradient: {top} to {bottom}"
    assert at(22, 62) == (32, 48, 64), f"the corner is not round: {at(22, 62)}"
    dark = sum(at(x, y)[0] < 100 for x in range(160, 300) for y in range(60, 180))
    assert 200 < dark < 6000, f"{dark} pixels of text"
    return dark


with display.server():
    try:
        from PySide6.QtCore import QTimer, QUrl
        from PySide6.QtGui import QGuiApplication
        from PySide6.QtQuick import QQuickView, QSGRendererInterface
    except ImportError as error:
        # Qt wants libraries of the system that packages of PyPI do not bring.
        print(error)
        sys.exit(display.SKIP)
    path = pathlib.Path(display.scratch()) / "scene.qml"
    path.write_text(QML)
    application = QGuiApplication(sys.argv)
    view = QQuickView()
    view.setSource(QUrl.fromLocalFile(str(path)))
    view.show()
    said = []

    def grab():
        if view.rendererInterface().graphicsApi() != QSGRendererInterface.GraphicsApi.Vulkan:
            said.append("Qt does not draw by Vulkan")
        else:
            try:
                said.append(look(view.grabWindow()))
            except AssertionError as error:
                said.append(str(error))
        application.quit()

    QTimer.singleShot(2000, grab)
    application.exec()
    view.close()
print(f"Qt Quick on Vulkan: {said}", flush=True)
# Qt's teardown without a server is not what is tested.
os._exit(not (said and isinstance(said[0], int)))
