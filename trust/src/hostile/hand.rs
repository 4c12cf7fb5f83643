//! The programs of `trust/hostile/*.py`. The head of each says what it is:
//!
//! ```text
//! # kata: acquire-with-fencing
//! # family: loops
//! # must: fail | fail with a line | pass | end
//! # says: words of the first failure's message
//! # watcher: only it can end this one
//! ```
//!
//! `says` and `watcher` may be missing. The embedded list is made by hand as well: a file that is not in it is noticed by a
//! test.

use super::{Must, Program};

macro_rules! embedded {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../hostile/", $file, ".py")))),*]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "awaits_in_a_generator",
    "awaits_in_a_generator_of_a_renewer",
    "cancels_itself",
    "cancels_itself_of_a_renewer",
    "coroutines_never_awaited",
    "coroutines_never_awaited_of_a_renewer",
    "dict_that_changes_while_it_is_walked",
    "exception_chain",
    "exception_group_nested",
    "exception_of_a_class_made_anew",
    "exception_that_is_its_own_cause",
    "exception_with_a_text_that_loops",
    "exception_with_a_text_that_raises",
    "exception_with_a_text_without_end",
    "exit_of_the_system",
    "generator_that_ignores_close",
    "generator_that_ignores_close_when_dropped",
    "interrupt_of_the_keyboard",
    "memory_bytes_of_a_length",
    "memory_bytes_repeated",
    "memory_dict_that_grows",
    "memory_list_in_place",
    "memory_list_of_a_long_range",
    "memory_list_of_texts",
    "memory_list_repeated",
    "memory_nested_lists",
    "memory_of_the_class",
    "memory_text_doubled",
    "memory_text_justified",
    "memory_text_repeated",
    "memory_tuple_repeated",
    "memory_width_of_a_format",
    "native_any_of_nothing",
    "native_bytes_of_count",
    "native_chain_of_endless",
    "native_deque_of_none",
    "native_dict_of_pairs",
    "native_dropwhile",
    "native_extend_by_itself",
    "native_heap_of_endless",
    "native_index_in_a_range",
    "native_islice_far",
    "native_iter_of_a_callable",
    "native_join",
    "native_max_of_cycle",
    "native_membership",
    "native_membership_in_a_range",
    "native_permutations",
    "native_product",
    "native_set_of_count",
    "native_star_arguments",
    "native_tee",
    "native_unpacking",
    "nested_lists_as_a_text",
    "nested_lists_compared",
    "number_as_digits",
    "number_by_the_method_of_the_class",
    "number_comb",
    "number_divisions",
    "number_factorial",
    "number_from_digits",
    "number_in_place_power",
    "number_lcm",
    "number_of_a_subclass",
    "number_of_true",
    "number_pow_function",
    "number_power",
    "number_power_of_a_modulus",
    "number_reduce",
    "number_shift",
    "number_shift_further",
    "number_squared_again_and_again",
    "output_of_a_megabyte_each_time",
    "output_to_a_file_of_its_own",
    "output_without_end",
    "pattern_alternatives",
    "pattern_nested_plus",
    "pattern_of_many_parts",
    "pattern_stars",
    "recursion_through_repr",
    "recursion_through_sorted",
    "signal_that_nobody_sets",
    "signal_that_nobody_sets_of_a_renewer",
    "sleep_backwards",
    "sleep_backwards_of_a_renewer",
    "sleep_for_ever",
    "sleep_for_ever_of_a_renewer",
    "sleep_of_a_huge_number",
    "sleep_of_a_huge_number_of_a_renewer",
    "sleep_of_a_text",
    "sleep_of_a_text_of_a_renewer",
    "sleep_of_infinity",
    "sleep_of_infinity_of_a_renewer",
    "sleep_of_no_number",
    "sleep_of_no_number_of_a_renewer",
    "sleep_of_nothing_for_ever",
    "sleep_of_nothing_for_ever_of_a_renewer",
    "sort_that_changes_its_list",
    "swallowed_recursion",
    "swallowed_recursion_in_two",
    "task_that_awaits_itself",
    "task_that_awaits_itself_of_a_renewer",
    "tasks_that_spawn_tasks",
    "tasks_that_spawn_tasks_of_a_renewer",
    "tasks_that_wait_for_each_other",
    "tasks_that_wait_for_each_other_of_a_renewer",
    "tasks_without_end",
    "tasks_without_end_of_a_renewer",
    "yields_what_nobody_asked",
    "yields_what_nobody_asked_of_a_renewer",
];

pub(super) fn programs() -> Vec<Program> {
    FILES.iter().map(|(file, source)| read(file, source)).collect()
}

fn read(file: &'static str, source: &'static str) -> Program {
    let of = |key: &str| {
        let line = source.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix(": "));
        line.map(str::trim)
    };
    let says = of("says").unwrap_or_default().to_owned();
    let must = match of("must").unwrap_or_default() {
        "fail" => Must::Fail { line: false, says },
        "fail with a line" => Must::Fail { line: true, says },
        "pass" => Must::Pass,
        "end" => Must::End,
        other => panic!("{file}: it must {other}"),
    };
    Program {
        name: file.to_owned(),
        family: of("family").unwrap_or_else(|| panic!("{file}: of no family")),
        kata: of("kata").unwrap_or_else(|| panic!("{file}: for no kata")),
        source: source.to_owned(),
        must,
        needs_the_watcher: of("watcher").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".py")?.to_owned()))
            .collect();
        there.sort();
        let embedded: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
        assert_eq!(there, embedded);
    }
}
