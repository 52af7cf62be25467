//! Captures of other tests of this binary replay with the same results, on every executor.
#![cfg(target_os = "linux")]

use crate::replayed::replayed;

replayed! {
    draws_and_queries: "draws" "triangles_cover_what_they_should_and_queries_count_it";
    swapchains: "draws" "swapchains_give_their_images_in_turn";
    render_passes: "images" "render_passes_clear_and_resolve";
    image_copies: "images" "aspects_are_copied_and_cleared_apart";
    transform_feedback: "transform_feedback" "strips_are_captured_triangle_by_triangle";
    tessellation: "stages::tessellation" "equal_spacing_gives_known_places";
    geometry_streams: "stages::geometry" "streams_are_captured_and_counted_by_themselves";
    subpasses: "stages::subpass" "every_pixel_of_the_render_area_has_an_invocation";
    samples: "stages::samples" "each_sample_has_its_invocation";
    shader_objects: "shader_objects" "bound_shaders_draw_like_a_pipeline";
    generated_commands: "generated_commands" "sequences_draw_with_the_state_around_them";
    nested_command_buffers: "dynamic_states" "nested_command_buffers_draw";
    task_and_mesh_shaders: "stages::mesh" "tasks_start_workgroups_in_order";
    counted_mesh_workgroups: "stages::mesh" "memory_says_how_many_workgroups";
}
