"""OpenGL 3.3 (core) through Mesa's zink by moderngl: transform feedback, then instances drawn from what it captured."""

import os

import display

with display.server():
    # Not for the server, which draws by OpenGL too. zink takes a device of type CPU only with the first.
    os.environ.update(LIBGL_ALWAYS_SOFTWARE="1", MESA_LOADER_DRIVER_OVERRIDE="zink", GALLIUM_DRIVER="zink")
    import moderngl
    import numpy

    gl = moderngl.create_context(standalone=True, require=330, backend="egl")
    renderer = gl.info["GL_RENDERER"]
    assert "zink" in renderer, f"OpenGL is not zink: {renderer}"
    assert gl.version_code >= 330, f"OpenGL is {gl.version_code}"

    # Places of squares on a diagonal, and a number of each.
    count = 16
    size = 4 * count
    target = gl.framebuffer([gl.texture((size, size), 4, dtype="u4")])
    target.use()
    target.clear()
    capture = gl.program(
        vertex_shader="""
            #version 330 core
            uniform float step;
            in float index;
            out vec2 place;
            flat out int number;
            void main() {
                place = vec2(-1.0) + (index + 0.5) * step;
                number = gl_VertexID * gl_VertexID;
            }
        """,
        varyings=["place", "number"],
    )
    capture["step"] = 2.0 / count
    captured = gl.buffer(reserve=12 * count)
    indices = gl.buffer(numpy.arange(count, dtype="f4"))
    gl.vertex_array(capture, [(indices, "1f4", "index")]).transform(captured, moderngl.POINTS)
    found = numpy.frombuffer(captured.read(), dtype=[("place", "f4", 2), ("number", "i4")])
    numbers = numpy.arange(count)
    assert (found["number"] == numbers**2).all(), found
    assert numpy.allclose(found["place"][:, 0], -1 + (numbers + 0.5) * 2 / count), found

    draw = gl.program(
        vertex_shader="""
            #version 330 core
            in vec2 place;
            in int number;
            flat out int value;
            void main() {
                vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
                gl_Position = vec4(place + corner / 16.0, 0.0, 1.0);
                value = number;
            }
        """,
        fragment_shader="""
            #version 330 core
            flat in int value;
            out uvec4 color;
            void main() { color = uvec4(value, gl_FragCoord.xy, 7); }
        """,
    )
    array = gl.vertex_array(draw, [(captured, "2f4 1i4/i", "place", "number")])
    array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=count)
    pixels = numpy.frombuffer(target.read(components=4, dtype="u4"), dtype="u4").reshape(size, size, 4)
    block = numpy.arange(size) // 4
    inside = block[:, None] == block[None, :]
    assert (pixels[inside][:, 0] == numpy.repeat(numbers**2, 16)).all(), "values of instances"
    assert (pixels[inside][:, 3] == 7).all() and (pixels[~inside] == 0).all(), "what is covered"
    print(f"{renderer}, OpenGL {gl.version_code}")
