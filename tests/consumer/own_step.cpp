// A user's C++ program: a step of its own, which does nothing, and what it reads as. Callbacks are functions with no
// exception in them; `user` is the object.
#include <confound/judge.h>
#include <confound/step.h>

#include <iostream>

namespace
{
struct Runtime {
    int begun = 0, ended = 0;

    static int submit(void *user, int, int, confound_error *) noexcept
    {
        static_cast<Runtime *>(user)->begun++;
        return 0;
    }
    static int wait(void *user, int, int, confound_error *) noexcept
    {
        static_cast<Runtime *>(user)->ended++;
        return 0;
    }
};
} // namespace

int main()
{
    Runtime runtime;
    confound_steps *steps = nullptr;
    confound_options *options = nullptr;
    confound_record *record = nullptr;
    confound_judgement *judgement = nullptr;
    confound_error err;
    if (confound_steps_new(&steps, &err) != CONFOUND_OK || confound_options_new(&options, &err) != CONFOUND_OK ||
        confound_options_set_rounds(options, 12, 12, &err) != CONFOUND_OK)
        return 1;
    confound_steps_set_submit(steps, Runtime::submit, &runtime);
    confound_steps_set_wait(steps, Runtime::wait, &runtime);
    if (confound_run_steps(steps, options, &record, &err) != CONFOUND_OK ||
        confound_judge(record, CONFOUND_MARGIN_OF_RECORD, &judgement, &err) != CONFOUND_OK) {
        std::cerr << err.text << '\n';
        return 1;
    }
    std::cout << confound_record_rounds(record)
              << " rounds, every step waited for: " << (runtime.begun == runtime.ended ? "yes" : "no") << '\n';
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
    return 0;
}
